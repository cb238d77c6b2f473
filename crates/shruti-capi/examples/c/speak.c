/* Speaks a text into a WAV file and prints the word and mark events.
 *
 *   cc speak.c $(pkg-config --cflags --libs shruti) -o speak
 *   ./speak hello.wav hi 2.0 'नमस्ते, आप कैसे हैं?'
 */
#include <shruti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put32(unsigned char *to, uint32_t value) {
    for (int at = 0; at < 4; at++) {
        to[at] = (unsigned char)(value >> (8 * at));
    }
}

static void write_header(FILE *wav, uint32_t bytes) {
    unsigned char header[44] = "RIFF....WAVEfmt \20\0\0\0\1\0\1\0....\0\0\0\0\2\0\20\0data";
    put32(header + 4, 36 + bytes);
    put32(header + 24, SHRUTI_SAMPLE_RATE);
    put32(header + 28, 2 * SHRUTI_SAMPLE_RATE);
    put32(header + 40, bytes);
    rewind(wav);
    fwrite(header, 1, sizeof header, wav);
}

struct output {
    FILE *wav;
    const char *text;
    uint64_t samples;
};

static int32_t on_event(const ShrutiEvent *event, void *user_data) {
    struct output *output = user_data;
    switch (event->kind) {
    case SHRUTI_EVENT_KIND_AUDIO:
        for (size_t at = 0; at < event->sample_count; at++) {
            uint16_t sample = (uint16_t)event->samples[at];
            unsigned char bytes[2] = {(unsigned char)sample, (unsigned char)(sample >> 8)};
            if (fwrite(bytes, 1, 2, output->wav) != 2) {
                return 1;
            }
        }
        output->samples += event->sample_count;
        break;
    case SHRUTI_EVENT_KIND_WORD:
        printf("word %llu %.*s\n", (unsigned long long)event->sample, (int)event->text_length,
               output->text + event->text_offset);
        break;
    case SHRUTI_EVENT_KIND_MARK:
        printf("mark %llu %s\n", (unsigned long long)event->sample, event->mark_name);
        break;
    }
    return 0;
}

static void check(ShrutiStatus status, const char *what) {
    if (status < 0) {
        char message[256];
        shruti_last_error(message, sizeof message);
        fprintf(stderr, "%s: %s\n", what, message);
        exit(1);
    }
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: %s FILE.wav LANGUAGE RATE TEXT\n", argv[0]);
        return 2;
    }
    if (shruti_abi_version() != SHRUTI_ABI_VERSION) {
        fprintf(stderr, "the library and the header have different ABI versions\n");
        return 1;
    }
    ShrutiEngine *engine = NULL;
    check(shruti_engine_new("rules", &engine), "engine");
    check(shruti_set_voice(engine, shruti_voice_name(engine, 0)), "voice");
    check(shruti_set_language(engine, argv[2]), "language");
    check(shruti_set_rate(engine, strtof(argv[3], NULL)), "rate");
    check(shruti_set_punctuation(engine, SHRUTI_PUNCTUATION_SOME), "punctuation");
    struct output output = {fopen(argv[1], "wb"), argv[4], 0};
    if (output.wav == NULL) {
        perror(argv[1]);
        return 1;
    }
    write_header(output.wav, 0);
    check(shruti_speak(engine, argv[4], strlen(argv[4]), on_event, &output), "speak");
    write_header(output.wav, (uint32_t)(2 * output.samples));
    fclose(output.wav);
    shruti_engine_free(engine);
    return 0;
}

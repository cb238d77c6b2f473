/* Tests misuse of the interface: null pointers, invalid values, a nested shruti_speak, and stops from the callback and
 * from another thread. */
#include <pthread.h>
#include <shruti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct state {
    ShrutiEngine *engine;
    int events;
    ShrutiStatus within;
    pthread_t stopping;
};

static int32_t ignore(const ShrutiEvent *event, void *user_data) {
    (void)event;
    (void)user_data;
    return 0;
}

static int32_t stop_at_once(const ShrutiEvent *event, void *user_data) {
    (void)event;
    ((struct state *)user_data)->events++;
    return 1;
}

static int32_t speak_within(const ShrutiEvent *event, void *user_data) {
    struct state *state = user_data;
    (void)event;
    state->within = shruti_speak(state->engine, "b", 1, ignore, NULL);
    return 1;
}

static void *stop(void *user_data) {
    EXPECT(shruti_stop(((struct state *)user_data)->engine) == SHRUTI_STATUS_OK);
    return NULL;
}

static int32_t stop_from_a_thread(const ShrutiEvent *event, void *user_data) {
    struct state *state = user_data;
    (void)event;
    state->events++;
    EXPECT(pthread_create(&state->stopping, NULL, stop, state) == 0);
    EXPECT(pthread_join(state->stopping, NULL) == 0);
    return 0;
}

int main(void) {
    char message[64];
    ShrutiEngine *engine = NULL;
    EXPECT(shruti_abi_version() == SHRUTI_ABI_VERSION);
    EXPECT(shruti_last_error(NULL, 0) == 0);
    EXPECT(shruti_engine_new(NULL, NULL) == SHRUTI_STATUS_ERROR_NULL);
    EXPECT(shruti_engine_new("loud", &engine) == SHRUTI_STATUS_ERROR_VALUE && engine == NULL);
    EXPECT(shruti_last_error(message, sizeof message) > 0 && strlen(message) > 0);
    EXPECT(shruti_last_error(message, 5) > 4 && strlen(message) == 4);
    EXPECT(shruti_engine_new(NULL, &engine) == SHRUTI_STATUS_OK && engine != NULL);

    EXPECT(shruti_voice_count(engine) >= 2 && shruti_voice_count(NULL) == 0);
    EXPECT(strcmp(shruti_voice_name(engine, 0), "Ananya") == 0);
    EXPECT(shruti_voice_name(engine, 99) == NULL && shruti_voice_name(NULL, 0) == NULL);
    EXPECT(shruti_language_count() == 15 && strcmp(shruti_language_code(0), "hi") == 0);
    // a code of three letters
    EXPECT(strcmp(shruti_language_code(13), "kok") == 0 && strcmp(shruti_language_code(14), "ur") == 0);
    EXPECT(shruti_language_code(15) == NULL);

    EXPECT(shruti_set_voice(engine, "arjun") == SHRUTI_STATUS_OK);
    EXPECT(shruti_set_voice(engine, "nobody") == SHRUTI_STATUS_ERROR_VALUE);
    EXPECT(shruti_set_voice(NULL, "arjun") == SHRUTI_STATUS_ERROR_NULL);
    EXPECT(shruti_set_voice(engine, "\xff") == SHRUTI_STATUS_ERROR_UTF8);
    EXPECT(shruti_set_language(engine, "ta-IN") == SHRUTI_STATUS_OK);
    EXPECT(shruti_set_language(engine, "xx") == SHRUTI_STATUS_ERROR_VALUE);
    EXPECT(shruti_set_language(engine, NULL) == SHRUTI_STATUS_OK);
    EXPECT(shruti_set_rate(engine, 6.0f) == SHRUTI_STATUS_OK);
    EXPECT(shruti_set_rate(engine, 6.1f) == SHRUTI_STATUS_ERROR_VALUE);
    EXPECT(shruti_set_pitch(engine, -7.0f) == SHRUTI_STATUS_ERROR_VALUE);
    EXPECT(shruti_set_volume(engine, 3.0f) == SHRUTI_STATUS_ERROR_VALUE);
    EXPECT(shruti_set_punctuation(engine, SHRUTI_PUNCTUATION_ALL) == SHRUTI_STATUS_OK);
    EXPECT(shruti_set_punctuation(engine, 4) == SHRUTI_STATUS_ERROR_VALUE);
    EXPECT(shruti_set_spelling(engine, true, true) == SHRUTI_STATUS_OK);

    EXPECT(shruti_speak(engine, NULL, 3, ignore, NULL) == SHRUTI_STATUS_ERROR_NULL);
    EXPECT(shruti_speak(engine, "a", 1, NULL, NULL) == SHRUTI_STATUS_ERROR_NULL);
    EXPECT(shruti_speak(engine, "\xff", 1, ignore, NULL) == SHRUTI_STATUS_ERROR_UTF8);
    EXPECT(shruti_speak(engine, "a", SHRUTI_MAX_TEXT_BYTES + 1, ignore, NULL) == SHRUTI_STATUS_ERROR_TOO_LONG);
    EXPECT(shruti_speak(engine, "", 0, ignore, NULL) == SHRUTI_STATUS_OK);

    struct state state = {engine, 0, SHRUTI_STATUS_OK, 0};
    EXPECT(shruti_speak(engine, "stop at once", 12, stop_at_once, &state) == SHRUTI_STATUS_STOPPED);
    EXPECT(state.events == 1);
    EXPECT(shruti_speak(engine, "a", 1, speak_within, &state) == SHRUTI_STATUS_STOPPED);
    EXPECT(state.within == SHRUTI_STATUS_ERROR_BUSY);
    state.events = 0;
    EXPECT(shruti_speak(engine, "from a thread", 13, stop_from_a_thread, &state) == SHRUTI_STATUS_STOPPED);
    EXPECT(state.events == 1);
    EXPECT(shruti_stop(engine) == SHRUTI_STATUS_OK && shruti_stop(NULL) == SHRUTI_STATUS_ERROR_NULL);
    EXPECT(shruti_speak(engine, "a", 1, ignore, NULL) == SHRUTI_STATUS_OK);
    shruti_engine_free(engine);
    shruti_engine_free(NULL);
    puts("all as expected");
    return 0;
}

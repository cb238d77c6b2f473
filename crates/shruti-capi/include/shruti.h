// libshruti: speech in eleven languages of India, in the process of the caller.
//
// Written by cbindgen from crates/shruti-capi/src; SHRUTI_WRITE_DOCUMENTS=1 cargo test -p shruti-capi writes it.
//
// Errors    Functions that can fail return a ShrutiStatus: 0 or more is success. shruti_last_error() has a message for
//           the last failure of the calling thread.
// Threads   All functions but shruti_engine_free() may be called from any thread, with the same engine too. An engine
//           reads one text at a time; several engines read at the same time.
// Memory    What the library returns belongs to it and lives as long as the engine, or the callback's call. Strings that
//           it takes are copied.
// Panics    No Rust panic crosses this interface: SHRUTI_STATUS_ERROR_PANIC stands for one. The engine stays usable.
// Versions  Within one SHRUTI_ABI_VERSION functions and constants may be added, and nothing else changes.

#ifndef SHRUTI_H
#define SHRUTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this interface; see shruti_abi_version.
#define SHRUTI_ABI_VERSION 1

// Samples of a second of audio.
#define SHRUTI_SAMPLE_RATE 24000

// The longest text in bytes.
#define SHRUTI_MAX_TEXT_BYTES 100000

// What became of a call; below zero it failed.
enum ShrutiStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // It succeeded.
  SHRUTI_STATUS_OK = 0,
  // The text was not read to its end: shruti_stop was called, or the callback asked for it.
  SHRUTI_STATUS_STOPPED = 1,
  // A pointer that must not be null is null.
  SHRUTI_STATUS_ERROR_NULL = -1,
  // A text is not UTF-8.
  SHRUTI_STATUS_ERROR_UTF8 = -2,
  // A value is not known or outside its range.
  SHRUTI_STATUS_ERROR_VALUE = -3,
  // The text has more than SHRUTI_MAX_TEXT_BYTES.
  SHRUTI_STATUS_ERROR_TOO_LONG = -4,
  // The engine is reading another text.
  SHRUTI_STATUS_ERROR_BUSY = -5,
  // The engine failed.
  SHRUTI_STATUS_ERROR_FAILED = -6,
  // A fault of the library.
  SHRUTI_STATUS_ERROR_PANIC = -7,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ShrutiStatus ShrutiStatus;
#else
typedef int32_t ShrutiStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// What an event reports.
enum ShrutiEventKind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // Samples: samples, sample_count.
  SHRUTI_EVENT_KIND_AUDIO = 0,
  // A word or a sign begins: text_offset, text_length.
  SHRUTI_EVENT_KIND_WORD = 1,
  // An SSML <mark> is reached: mark_name.
  SHRUTI_EVENT_KIND_MARK = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ShrutiEventKind ShrutiEventKind;
#else
typedef int32_t ShrutiEventKind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// Which signs of a text are named.
enum ShrutiPunctuation
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  // None.
  SHRUTI_PUNCTUATION_NONE = 0,
  // Symbols: # $ % & * + / < = > @ \ ^ _ | ~ and the rupee sign.
  SHRUTI_PUNCTUATION_SOME = 1,
  // Also brackets, quotation marks, colons, dashes.
  SHRUTI_PUNCTUATION_MOST = 2,
  // Also full stops, commas, question and exclamation marks, apostrophes.
  SHRUTI_PUNCTUATION_ALL = 3,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum ShrutiPunctuation ShrutiPunctuation;
#else
typedef int32_t ShrutiPunctuation;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// An engine with its voices and its settings.
typedef struct ShrutiEngine ShrutiEngine;

// What a callback receives. Fields that its kind does not name are zero.
typedef struct {
  // What it reports.
  ShrutiEventKind kind;
  // How many samples of the speech come before it.
  uint64_t sample;
  // Signed 16-bit samples in the byte order of the machine, one channel; at most 480 of them (20 ms).
  const int16_t *samples;
  // Their number.
  size_t sample_count;
  // Where the word begins in the text as given, in bytes.
  size_t text_offset;
  // Its length in bytes.
  size_t text_length;
  // The name of the mark, UTF-8.
  const char *mark_name;
} ShrutiEvent;

// Receives the events of a text, on the thread that called shruti_speak. The event and what it points to live until it
// returns. Anything but 0 stops the speech. It may call all functions with the engine but shruti_engine_free; another
// shruti_speak gets SHRUTI_STATUS_ERROR_BUSY. It must not unwind or jump out.
typedef int32_t (*ShrutiCallback)(const ShrutiEvent *event, void *user_data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the SHRUTI_ABI_VERSION that the library was built with. A program should compare it with that of its header.
uint32_t shruti_abi_version(void);

// Copies the message of the last failure of the calling thread, UTF-8 with a zero byte, cut to size bytes. Returns the length of
// the whole message without the zero byte; 0 if nothing has failed. With a size of 0 nothing is copied.
//
// The caller promises:
// buffer is null or has room for size bytes.
size_t shruti_last_error(char *buffer,
                         size_t size);

// Starts an engine. voice_engine is "rules" (clear at high rates, starts soonest, the choice for screen readers), "learned"
// (natural) or "auto"; null is "rules". Takes memory for the voices and a thread a core.
//
// The caller promises:
// voice_engine is null or a string that ends with a zero byte; result is null or has room for a pointer.
ShrutiStatus shruti_engine_new(const char *voice_engine,
                               ShrutiEngine **result);

// Ends an engine and its threads. Null is allowed. No other call with the engine may be in progress or follow.
//
// The caller promises:
// engine is null or comes from shruti_engine_new and was not freed; nothing else uses it.
void shruti_engine_free(ShrutiEngine *engine);

// Returns the number of voices; 0 for null.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
size_t shruti_voice_count(const ShrutiEngine *engine);

// Returns the name of a voice, which lives as long as the engine; null if there is none of this index.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
const char *shruti_voice_name(const ShrutiEngine *engine, size_t index);

// Returns the number of languages. All voices speak all of them.
size_t shruti_language_count(void);

// Returns the code of a language (hi), a constant; null if there is none of this index.
const char *shruti_language_code(size_t index);

// Sets the voice of the texts that follow, by its name without regard to case; null is the first voice.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile; name is null or a string that ends with a zero byte.
ShrutiStatus shruti_set_voice(const ShrutiEngine *engine, const char *name);

// Sets the language of the texts that follow: hi, hi-IN. Null finds it from each text.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile; code is null or a string that ends with a zero byte.
ShrutiStatus shruti_set_language(const ShrutiEngine *engine, const char *code);

// Sets the rate of the texts that follow, 0.5 to 6.0; 1.0 is the voice's own.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
ShrutiStatus shruti_set_rate(const ShrutiEngine *engine, float rate);

// Sets the shift of the pitch of the texts that follow, -6.0 to 6.0 semitones.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
ShrutiStatus shruti_set_pitch(const ShrutiEngine *engine, float semitones);

// Sets the factor of the amplitude of the texts that follow, 0.0 to 2.0; peaks are clipped.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
ShrutiStatus shruti_set_volume(const ShrutiEngine *engine, float volume);

// Sets which signs of the texts that follow are named: a ShrutiPunctuation.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
ShrutiStatus shruti_set_punctuation(const ShrutiEngine *engine, int32_t level);

// Sets whether each character of the texts that follow is said by its name, and whether capital letters among them are
// announced.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
ShrutiStatus shruti_set_spelling(const ShrutiEngine *engine, bool spelling, bool capitals);

// Reads a text, plain or SSML (one that begins with <speak), and returns when the callback has had all of it. length is in
// bytes; the text is UTF-8 and needs no zero byte. The callback sets the pace: the engine works a few hundred milliseconds
// ahead of it, no further. Returns SHRUTI_STATUS_STOPPED if the speech was stopped.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile; text is null or has length bytes, which do not change
// meanwhile; callback may be called with user_data.
ShrutiStatus shruti_speak(const ShrutiEngine *engine,
                          const char *text,
                          size_t length,
                          ShrutiCallback callback,
                          void *user_data);

// Stops the text that the engine is reading; does nothing if there is none. Returns at once: after it no callback begins, and
// shruti_speak returns as soon as a callback in progress does.
//
// The caller promises:
// engine is null or an engine that is not freed meanwhile.
ShrutiStatus shruti_stop(const ShrutiEngine *engine);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SHRUTI_H */

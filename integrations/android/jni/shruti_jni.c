/* Native methods of in.shruti.tts.Engine, implemented with libshruti. */
#include <jni.h>
#include <shruti.h>
#include <stddef.h>

#define METHOD(name) Java_in_shruti_tts_Engine_##name

/* Java listener for the events of a text, with the IDs of its methods. */
struct listening {
    JNIEnv *env;
    jobject listener;
    jmethodID on_audio;
    jmethodID on_word;
};

static ShrutiEngine *engine_of(jlong handle) {
    return (ShrutiEngine *)(intptr_t)handle;
}

JNIEXPORT jlong JNICALL METHOD(create)(JNIEnv *env, jclass type) {
    (void)env;
    (void)type;
    ShrutiEngine *engine = NULL;
    if (shruti_abi_version() != SHRUTI_ABI_VERSION || shruti_engine_new("rules", &engine) < 0) {
        return 0;
    }
    return (jlong)(intptr_t)engine;
}

JNIEXPORT void JNICALL METHOD(free)(JNIEnv *env, jclass type, jlong handle) {
    (void)env;
    (void)type;
    shruti_engine_free(engine_of(handle));
}

JNIEXPORT jobjectArray JNICALL METHOD(voices)(JNIEnv *env, jclass type, jlong handle) {
    (void)type;
    jsize count = (jsize)shruti_voice_count(engine_of(handle));
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray names = string == NULL ? NULL : (*env)->NewObjectArray(env, count, string, NULL);
    for (jsize at = 0; names != NULL && at < count; at++) {
        jstring name = (*env)->NewStringUTF(env, shruti_voice_name(engine_of(handle), (size_t)at));
        if (name == NULL) {
            return NULL;
        }
        (*env)->SetObjectArrayElement(env, names, at, name);
        (*env)->DeleteLocalRef(env, name);
    }
    return names;
}

static int32_t on_event(const ShrutiEvent *event, void *user_data) {
    struct listening *to = user_data;
    JNIEnv *env = to->env;
    jboolean continues = JNI_TRUE;
    if (event->kind == SHRUTI_EVENT_KIND_AUDIO) {
        jsize length = (jsize)(2 * event->sample_count);
        jbyteArray samples = (*env)->NewByteArray(env, length);
        if (samples == NULL) {
            return 1;
        }
        (*env)->SetByteArrayRegion(env, samples, 0, length, (const jbyte *)event->samples);
        continues = (*env)->CallBooleanMethod(env, to->listener, to->on_audio, samples);
        (*env)->DeleteLocalRef(env, samples);
    } else if (event->kind == SHRUTI_EVENT_KIND_WORD) {
        (*env)->CallVoidMethod(env, to->listener, to->on_word, (jlong)event->sample, (jint)event->text_offset,
                               (jint)event->text_length);
    }
    return (*env)->ExceptionCheck(env) || !continues;
}

/* Sets the voice or the language. A null string selects the default of the library. */
static ShrutiStatus set(JNIEnv *env, ShrutiEngine *engine, jstring value,
                        ShrutiStatus (*setter)(const ShrutiEngine *, const char *)) {
    if (value == NULL) {
        return setter(engine, NULL);
    }
    const char *chars = (*env)->GetStringUTFChars(env, value, NULL);
    if (chars == NULL) {
        return SHRUTI_STATUS_ERROR_FAILED;
    }
    ShrutiStatus status = setter(engine, chars);
    (*env)->ReleaseStringUTFChars(env, value, chars);
    return status;
}

JNIEXPORT jint JNICALL METHOD(speak)(JNIEnv *env, jclass type, jlong handle, jstring voice, jstring language,
                                     jfloat rate, jfloat semitones, jbyteArray text, jobject listener) {
    (void)type;
    ShrutiEngine *engine = engine_of(handle);
    ShrutiStatus status = set(env, engine, voice, shruti_set_voice);
    status = status < 0 ? status : set(env, engine, language, shruti_set_language);
    status = status < 0 ? status : shruti_set_rate(engine, rate);
    status = status < 0 ? status : shruti_set_pitch(engine, semitones);
    if (status < 0) {
        return status;
    }
    jclass listener_type = (*env)->GetObjectClass(env, listener);
    struct listening to = {env, listener, (*env)->GetMethodID(env, listener_type, "onAudio", "([B)Z"),
                           (*env)->GetMethodID(env, listener_type, "onWord", "(JII)V")};
    jbyte *bytes = to.on_audio == NULL || to.on_word == NULL ? NULL : (*env)->GetByteArrayElements(env, text, NULL);
    if (bytes == NULL) {
        return SHRUTI_STATUS_ERROR_FAILED;
    }
    size_t length = (size_t)(*env)->GetArrayLength(env, text);
    status = shruti_speak(engine, (const char *)bytes, length, on_event, &to);
    (*env)->ReleaseByteArrayElements(env, text, bytes, JNI_ABORT);
    return status;
}

JNIEXPORT void JNICALL METHOD(stop)(JNIEnv *env, jclass type, jlong handle) {
    (void)env;
    (void)type;
    shruti_stop(engine_of(handle));
}

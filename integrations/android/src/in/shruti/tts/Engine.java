package in.shruti.tts;

/**
 * Engine of libshruti, called through {@code jni/shruti_jni.c}. One thread speaks at a time; any thread may stop it.
 */
final class Engine implements AutoCloseable {
    /** Listener that receives the events of a text, on the thread that called {@code speak}. */
    interface Listener {
        /** Receives 16-bit samples. Returns whether to continue. */
        boolean onAudio(byte[] samples);

        /** Receives the start of a word: the number of samples before it, and its offset and length in UTF-8 bytes. */
        void onWord(long sample, int offset, int length);
    }

    static final int SAMPLE_RATE = 24_000;
    static final int STOPPED = 1;

    static {
        System.loadLibrary("shruti_jni");
    }

    private long handle = create();

    Engine() {
        if (handle == 0) {
            throw new IllegalStateException("libshruti failed to start or has an incompatible version");
        }
    }

    /** Speaks a text. Returns a {@code ShrutiStatus} of {@code shruti.h}. */
    int speak(String voice, String language, float rate, float semitones, byte[] text, Listener listener) {
        return speak(handle, voice, language, rate, semitones, text, listener);
    }

    void stop() {
        stop(handle);
    }

    String[] voices() {
        return voices(handle);
    }

    @Override
    public void close() {
        free(handle);
        handle = 0;
    }

    private static native long create();

    private static native void free(long handle);

    private static native String[] voices(long handle);

    private static native int speak(
            long handle, String voice, String language, float rate, float semitones, byte[] text, Listener listener);

    private static native void stop(long handle);
}

package in.shruti.tts;

/** An engine of libshruti, by way of {@code jni/shruti_jni.c}. One thread speaks at a time; any thread may stop it. */
final class Engine implements AutoCloseable {
    /** Receives the events of a text on the thread that speaks. */
    interface Listener {
        /** Gets 16-bit samples; returns whether to go on. */
        boolean onAudio(byte[] samples);

        /** A word begins: how many samples come before it, its first byte and its length in UTF-8. */
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
            throw new IllegalStateException("libshruti does not start");
        }
    }

    /** Speaks a text; returns a status of {@code shruti.h}. */
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

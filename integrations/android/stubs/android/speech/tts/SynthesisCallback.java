package android.speech.tts;

/** Stub of the Android interface of this name, with the members that the service uses. */
public interface SynthesisCallback {
    int getMaxBufferSize();

    int start(int sampleRateInHz, int audioFormat, int channelCount);

    int audioAvailable(byte[] buffer, int offset, int length);

    int done();

    void error(int errorCode);

    default void rangeStart(int markerInFrames, int start, int end) {}
}

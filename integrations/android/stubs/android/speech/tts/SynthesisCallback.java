package android.speech.tts;

/** A stand-in of this name's interface of Android, with what the service uses. */
public interface SynthesisCallback {
    int getMaxBufferSize();

    int start(int sampleRateInHz, int audioFormat, int channelCount);

    int audioAvailable(byte[] buffer, int offset, int length);

    int done();

    void error(int errorCode);

    default void rangeStart(int markerInFrames, int start, int end) {}
}

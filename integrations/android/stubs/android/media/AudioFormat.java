package android.media;

/** Stub of the Android class of this name, with the members that the service uses. */
public class AudioFormat {
    public static final int ENCODING_PCM_16BIT = 2;
}

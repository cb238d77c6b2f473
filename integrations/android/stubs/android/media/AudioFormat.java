package android.media;

/** A stand-in of this name's class of Android, with what the service uses. */
public class AudioFormat {
    public static final int ENCODING_PCM_16BIT = 2;
}

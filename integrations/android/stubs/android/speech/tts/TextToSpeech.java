package android.speech.tts;

/** Stub of the Android class of this name, with the members that the service uses. */
public class TextToSpeech {
    public static final int SUCCESS = 0;
    public static final int ERROR = -1;
    public static final int ERROR_SYNTHESIS = -3;
    public static final int ERROR_INVALID_REQUEST = -8;
    public static final int LANG_COUNTRY_AVAILABLE = 1;
    public static final int LANG_AVAILABLE = 0;
    public static final int LANG_NOT_SUPPORTED = -2;
}

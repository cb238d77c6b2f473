package android.speech.tts;

import java.util.Locale;
import java.util.Set;

/** Stub of the Android class of this name, with the members that the service uses. */
public class Voice {
    public static final int QUALITY_NORMAL = 300;
    public static final int LATENCY_VERY_LOW = 100;

    public final String name;

    public Voice(String name, Locale locale, int quality, int latency, boolean requiresNetwork, Set<String> features) {
        this.name = name;
    }
}

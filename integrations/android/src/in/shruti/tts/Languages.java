package in.shruti.tts;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Supported languages, by the three-letter codes that Android uses. */
final class Languages {
    private static final Map<String, String> BY_ISO3 = new LinkedHashMap<>();

    static {
        for (String code : "hi bn ta te gu kn ml mr pa or en ne as kok ur".split(" ")) {
            BY_ISO3.put(new Locale(code).getISO3Language(), code);
        }
    }

    private Languages() {}

    /** Returns the code of a language as Shruti uses it, or null if the language is not supported. */
    static String code(String language) {
        if (language == null) {
            return null;
        }
        String lower = language.toLowerCase(Locale.ROOT);
        return BY_ISO3.containsValue(lower) ? lower : BY_ISO3.get(lower);
    }

    static Iterable<String> codes() {
        return BY_ISO3.values();
    }
}

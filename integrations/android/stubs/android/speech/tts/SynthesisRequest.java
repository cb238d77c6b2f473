package android.speech.tts;

/** Stub of the Android class of this name; the test sets its fields. */
public final class SynthesisRequest {
    public String text;
    public String voice;
    public String language;
    public int rate = 100;
    public int pitch = 100;

    public CharSequence getCharSequenceText() {
        return text;
    }

    public String getVoiceName() {
        return voice;
    }

    public String getLanguage() {
        return language;
    }

    public int getSpeechRate() {
        return rate;
    }

    public int getPitch() {
        return pitch;
    }
}

package android.speech.tts;

import java.util.List;

/** Stub of the Android class of this name, with the methods that the service overrides. */
public abstract class TextToSpeechService {
    public void onCreate() {}

    public void onDestroy() {}

    protected abstract int onIsLanguageAvailable(String lang, String country, String variant);

    protected abstract String[] onGetLanguage();

    protected abstract int onLoadLanguage(String lang, String country, String variant);

    protected abstract void onStop();

    protected abstract void onSynthesizeText(SynthesisRequest request, SynthesisCallback callback);

    public abstract List<Voice> onGetVoices();

    public abstract String onGetDefaultVoiceNameFor(String lang, String country, String variant);

    public abstract int onIsValidVoiceName(String name);

    public abstract int onLoadVoice(String name);
}

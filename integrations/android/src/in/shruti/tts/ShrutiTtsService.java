package in.shruti.tts;

import android.media.AudioFormat;
import android.speech.tts.SynthesisCallback;
import android.speech.tts.SynthesisRequest;
import android.speech.tts.TextToSpeech;
import android.speech.tts.TextToSpeechService;
import android.speech.tts.Voice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Text-to-speech engine for Android. */
public final class ShrutiTtsService extends TextToSpeechService {
    private static final int MAX_TEXT_BYTES = 100_000;

    private Engine engine;
    private volatile String language = "hi";

    @Override
    public void onCreate() {
        engine = new Engine();
        // the framework loads the default language in this call
        super.onCreate();
    }

    @Override
    public void onDestroy() {
        engine.stop();
        // the framework ends the synthesis thread in this call
        super.onDestroy();
        engine.close();
    }

    @Override
    protected int onIsLanguageAvailable(String language, String country, String variant) {
        if (Languages.code(language) == null) {
            return TextToSpeech.LANG_NOT_SUPPORTED;
        }
        boolean isOfIndia = "IND".equals(country) || "IN".equals(country);
        return isOfIndia ? TextToSpeech.LANG_COUNTRY_AVAILABLE : TextToSpeech.LANG_AVAILABLE;
    }

    @Override
    protected String[] onGetLanguage() {
        return new String[] {new Locale(language).getISO3Language(), "IND", ""};
    }

    @Override
    protected int onLoadLanguage(String language, String country, String variant) {
        String code = Languages.code(language);
        if (code != null) {
            this.language = code;
        }
        return onIsLanguageAvailable(language, country, variant);
    }

    @Override
    public List<Voice> onGetVoices() {
        List<Voice> voices = new ArrayList<>();
        for (String name : engine.voices()) {
            for (String code : Languages.codes()) {
                voices.add(new Voice(
                        voiceName(name, code), new Locale(code, "IN"), Voice.QUALITY_NORMAL, Voice.LATENCY_VERY_LOW, false,
                        Collections.<String>emptySet()));
            }
        }
        return voices;
    }

    @Override
    public String onGetDefaultVoiceNameFor(String language, String country, String variant) {
        String code = Languages.code(language);
        return code == null ? null : voiceName(engine.voices()[0], code);
    }

    @Override
    public int onIsValidVoiceName(String name) {
        return partsOf(name) == null ? TextToSpeech.ERROR : TextToSpeech.SUCCESS;
    }

    @Override
    public int onLoadVoice(String name) {
        return onIsValidVoiceName(name);
    }

    private static String voiceName(String voice, String code) {
        return code + "-" + voice;
    }

    /** Returns the language and the voice of a voice name, or null if the name is unknown. */
    private String[] partsOf(String name) {
        String[] parts = name == null ? new String[0] : name.split("-", 2);
        if (parts.length != 2 || Languages.code(parts[0]) == null) {
            return null;
        }
        for (String voice : engine.voices()) {
            if (voice.equals(parts[1])) {
                return parts;
            }
        }
        return null;
    }

    @Override
    protected void onStop() {
        engine.stop();
    }

    @Override
    protected void onSynthesizeText(SynthesisRequest request, final SynthesisCallback callback) {
        final String text = request.getCharSequenceText().toString();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        String[] parts = partsOf(request.getVoiceName());
        String code = parts != null ? parts[0] : Languages.code(request.getLanguage());
        if (code == null || bytes.length > MAX_TEXT_BYTES) {
            callback.error(TextToSpeech.ERROR_INVALID_REQUEST);
            return;
        }
        if (callback.start(Engine.SAMPLE_RATE, AudioFormat.ENCODING_PCM_16BIT, 1) != TextToSpeech.SUCCESS) {
            return;
        }
        float rate = Math.max(0.5f, Math.min(6.0f, request.getSpeechRate() / 100.0f));
        float semitones = (float) (12.0 * Math.log(Math.max(1, request.getPitch()) / 100.0) / Math.log(2.0));
        semitones = Math.max(-6.0f, Math.min(6.0f, semitones));
        final Utf8Places places = new Utf8Places(text);
        int status = engine.speak(parts == null ? null : parts[1], code, rate, semitones, bytes, new Engine.Listener() {
            @Override
            public boolean onAudio(byte[] samples) {
                int most = Math.max(2, callback.getMaxBufferSize() & ~1);
                for (int at = 0; at < samples.length; at += most) {
                    int length = Math.min(most, samples.length - at);
                    if (callback.audioAvailable(samples, at, length) != TextToSpeech.SUCCESS) {
                        return false;
                    }
                }
                return true;
            }

            @Override
            public void onWord(long sample, int offset, int length) {
                callback.rangeStart((int) sample, places.char16(offset), places.char16(offset + length));
            }
        });
        if (status < 0) {
            callback.error(TextToSpeech.ERROR_SYNTHESIS);
        } else if (status != Engine.STOPPED) {
            callback.done();
        }
    }
}

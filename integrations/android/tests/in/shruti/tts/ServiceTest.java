package in.shruti.tts;

import android.speech.tts.SynthesisCallback;
import android.speech.tts.SynthesisRequest;
import android.speech.tts.TextToSpeech;
import java.util.ArrayList;
import java.util.List;

/** Test of the service in a desktop JVM, with stubs of Android's classes and a real libshruti. */
public final class ServiceTest {
    private static final class Callback implements SynthesisCallback {
        int bytes;
        int limit = Integer.MAX_VALUE;
        int error;
        boolean isDone;
        boolean isSilent = true;
        final List<String> words = new ArrayList<>();
        String text;

        @Override
        public int getMaxBufferSize() {
            return 300;
        }

        @Override
        public int start(int rate, int format, int channels) {
            expect(rate == 24_000 && channels == 1, "format");
            return TextToSpeech.SUCCESS;
        }

        @Override
        public int audioAvailable(byte[] buffer, int offset, int length) {
            expect(length > 0 && length <= 300 && length % 2 == 0, "buffer of " + length);
            for (int at = offset; at < offset + length; at++) {
                isSilent &= buffer[at] == 0;
            }
            bytes += length;
            return bytes < limit ? TextToSpeech.SUCCESS : TextToSpeech.ERROR;
        }

        @Override
        public int done() {
            isDone = true;
            return TextToSpeech.SUCCESS;
        }

        @Override
        public void error(int code) {
            error = code;
        }

        @Override
        public void rangeStart(int frame, int start, int end) {
            words.add(text.substring(start, end));
        }
    }

    private static void expect(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static Callback spoken(ShrutiTtsService service, String text, String language, int rate, int limit) {
        SynthesisRequest request = new SynthesisRequest();
        request.text = text;
        request.language = language;
        request.rate = rate;
        Callback callback = new Callback();
        callback.text = text;
        callback.limit = limit;
        service.onSynthesizeText(request, callback);
        return callback;
    }

    public static void main(String[] arguments) {
        ShrutiTtsService service = new ShrutiTtsService();
        service.onCreate();
        expect(service.onIsLanguageAvailable("tam", "IND", "") == TextToSpeech.LANG_COUNTRY_AVAILABLE, "Tamil (India)");
        expect(service.onIsLanguageAvailable("fra", "FRA", "") == TextToSpeech.LANG_NOT_SUPPORTED, "French");
        service.onLoadLanguage("ori", "IND", "");
        expect(service.onGetLanguage()[0].equals("ori"), "Odia");
        expect(service.onGetVoices().size() == 22, "voices");
        expect(service.onIsValidVoiceName("hi-Arjun") == TextToSpeech.SUCCESS, "a valid voice name");
        expect(service.onIsValidVoiceName("fr-Arjun") == TextToSpeech.ERROR, "an invalid voice name");

        Callback slow = spoken(service, "नमस्ते 😀 दुनिया", "hin", 100, Integer.MAX_VALUE);
        expect(slow.isDone && !slow.isSilent && slow.error == 0, "a text is spoken");
        expect(slow.words.equals(List.of("नमस्ते", "दुनिया")), "words: " + slow.words);
        Callback fast = spoken(service, "नमस्ते 😀 दुनिया", "hin", 600, Integer.MAX_VALUE);
        expect(fast.bytes * 4 < slow.bytes, "rate: " + fast.bytes + " and " + slow.bytes);
        Callback stopped = spoken(service, "नमस्ते दुनिया", "hin", 100, 600);
        expect(!stopped.isDone && stopped.error == 0 && stopped.bytes == 600, "a stop by the callback");
        expect(spoken(service, "bonjour", "fra", 100, 600).error == TextToSpeech.ERROR_INVALID_REQUEST, "an unsupported language");
        service.onStop();
        service.onDestroy();
        System.out.println("all as expected");
    }
}

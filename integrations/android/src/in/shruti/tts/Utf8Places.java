package in.shruti.tts;

/** Converter of UTF-8 offsets in a text to UTF-16 indexes. Lookups in ascending order take linear time in total. */
final class Utf8Places {
    private final String text;
    private int bytes;
    private int chars;

    Utf8Places(String text) {
        this.text = text;
    }

    /** Returns the UTF-16 index of a UTF-8 offset. */
    int char16(int offset) {
        if (offset < bytes) {
            bytes = 0;
            chars = 0;
        }
        while (bytes < offset && chars < text.length()) {
            int c = text.codePointAt(chars);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            chars += Character.charCount(c);
        }
        return chars;
    }
}

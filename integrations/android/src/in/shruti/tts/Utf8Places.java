package in.shruti.tts;

/** Places in the UTF-8 of a text as places in its Java characters; asked for in rising order it takes linear time. */
final class Utf8Places {
    private final String text;
    private int bytes;
    private int chars;

    Utf8Places(String text) {
        this.text = text;
    }

    /** The place of a byte. */
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

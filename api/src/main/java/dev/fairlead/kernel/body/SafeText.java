package dev.fairlead.kernel.body;

/** Characters that text from outside may contain. */
public final class SafeText {
  private SafeText() {}

  /**
   * Index of the first forbidden character: NUL and other controls except tab, line feed and
   * carriage return. An unpaired surrogate. Marks that reorder or hide text (bidirectional
   * overrides, zero-width space, byte order mark). Negative if none is found.
   */
  public static int firstUnsafe(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return i;
        }
        i++;
      } else if (control(c) || hidden(c)) {
        return i;
      }
    }
    return -1;
  }

  /** The character at the index as {@code U+0000}. */
  public static String named(String text, int index) {
    return String.format("U+%04X", (int) text.charAt(index));
  }

  private static boolean control(char c) {
    return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c >= 0x7f && c < 0xa0;
  }

  private static boolean hidden(char c) {
    return c >= 0x202a && c <= 0x202e
        || c >= 0x2066 && c <= 0x2069
        || c == 0x200b
        || c == 0x200e
        || c == 0x200f
        || c == 0x2060
        || c == 0x2028
        || c == 0x2029
        || c == 0xfeff
        || c >= 0xfffe;
  }
}

package dev.fairlead.work.workload.kubernetes.call;

import org.jspecify.annotations.Nullable;

/**
 * Validates text that a cluster reports. An API server checks names and labels, but the server that
 * answers may not be an API server. Accepted text can be stored and shown.
 */
public final class ReportedText {
  private ReportedText() {}

  /**
   * Returns whether the text is printable ASCII without spaces, not empty and not longer than the
   * limit.
   */
  public static boolean plain(@Nullable String text, int most) {
    return text != null
        && !text.isEmpty()
        && text.length() <= most
        && text.chars().allMatch(c -> c > ' ' && c < 127);
  }

  /** Returns the same as {@link #plain}, or true for empty text. */
  public static boolean plainOrEmpty(@Nullable String text, int most) {
    return text != null && (text.isEmpty() || plain(text, most));
  }

  /**
   * Cleans human-readable text: truncates it, and replaces control characters and unpaired
   * surrogates by spaces.
   */
  public static @Nullable String words(@Nullable String text, int most) {
    if (text == null) {
      return null;
    }
    StringBuilder words = new StringBuilder();
    text.codePoints()
        .limit(most)
        .map(c -> Character.isISOControl(c) || c >= 0xD800 && c <= 0xDFFF ? ' ' : c)
        .forEach(words::appendCodePoint);
    return words.toString();
  }
}

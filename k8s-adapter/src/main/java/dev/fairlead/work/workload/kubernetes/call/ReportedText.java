package dev.fairlead.work.workload.kubernetes.call;

import org.jspecify.annotations.Nullable;

/**
 * Text that a cluster reports. An API server checks names and labels, but what answers need not be
 * one; what gets past here can be stored and shown.
 */
public final class ReportedText {
  private ReportedText() {}

  /** Whether it is not empty, not longer, and printable ASCII without spaces. */
  public static boolean plain(@Nullable String text, int most) {
    return text != null
        && !text.isEmpty()
        && text.length() <= most
        && text.chars().allMatch(c -> c > ' ' && c < 127);
  }

  /** As {@link #plain}, and so is an empty one. */
  public static boolean plainOrEmpty(@Nullable String text, int most) {
    return text != null && (text.isEmpty() || plain(text, most));
  }

  /** For people: cut to a length, control characters and halves of characters as spaces. */
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

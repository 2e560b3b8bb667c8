package dev.fairlead.work.template;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Matches a text against the regular expression of an owner. Reads of characters are counted, so
 * that an expression that backtracks for ever ends.
 */
final class BoundedMatch {
  private static final int MOST_READS = 200_000;

  private BoundedMatch() {}

  /** The problem, which continues the name of the text. Empty for a text that matches. */
  static Optional<String> problem(String pattern, String text) {
    try {
      return Pattern.compile(pattern).matcher(new Counted(text)).matches()
          ? Optional.empty()
          : Optional.of("must match " + pattern);
    } catch (TooManyReads | StackOverflowError endless) {
      return Optional.of("cannot be checked: pattern " + pattern + " backtracks too much");
    }
  }

  /** Ends a match without a stack trace. */
  private static final class TooManyReads extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooManyReads() {
      super("too many reads", null, false, false);
    }
  }

  private static final class Counted implements CharSequence {
    private final String text;
    private int reads;

    Counted(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if (++reads > MOST_READS) {
        throw new TooManyReads();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}

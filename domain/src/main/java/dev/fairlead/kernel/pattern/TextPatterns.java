package dev.fairlead.kernel.pattern;

import java.util.Optional;

/** Regular expressions that users write. A match takes a time that is linear in the text. */
public interface TextPatterns {
  /**
   * The reason why the text is not a pattern, or a pattern that is too large. Empty for a pattern.
   */
  Optional<String> problem(String pattern);

  /**
   * Returns whether the pattern matches the whole text.
   *
   * @param pattern without a problem
   */
  boolean matches(String pattern, String text);
}

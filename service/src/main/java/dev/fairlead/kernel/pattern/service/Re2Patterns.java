package dev.fairlead.kernel.pattern.service;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.fairlead.kernel.pattern.TextPatterns;
import java.util.Optional;
import java.util.regex.MatchResult;
import org.springframework.stereotype.Component;

/**
 * {@link TextPatterns} in the syntax of RE2, which has no backtracking. RE2 writes out counted
 * repetitions while it compiles, so the written size is limited before.
 */
@Component
public class Re2Patterns implements TextPatterns {
  /** Maximum number of instructions of a compiled pattern. */
  private static final int LARGEST = 1_000;

  private static final int LARGEST_WRITTEN = 10_000;
  private static final java.util.regex.Pattern REPETITION =
      java.util.regex.Pattern.compile("([)}]?)\\{([0-9]+)(?:,([0-9]*))?\\}");

  @Override
  public Optional<String> problem(String pattern) {
    if (written(pattern) > LARGEST_WRITTEN) {
      return Optional.of("its repetitions are too large");
    }
    try {
      int size = Pattern.compile(pattern).programSize();
      return size > LARGEST
          ? Optional.of("it has %d instructions, at most %d are allowed".formatted(size, LARGEST))
          : Optional.empty();
    } catch (PatternSyntaxException broken) {
      return Optional.of(broken.getDescription());
    }
  }

  /** Returns an upper bound for the number of items in the pattern without its repetitions. */
  private static double written(String pattern) {
    double items = pattern.length();
    double groups = 1;
    for (MatchResult found : REPETITION.matcher(pattern).results().toList()) {
      String most = found.group(3);
      double count = Double.parseDouble(most == null || most.isEmpty() ? found.group(2) : most);
      if (found.group(1).isEmpty()) {
        items += count;
      } else {
        groups *= Math.max(1, count);
      }
    }
    return items * groups;
  }

  @Override
  public boolean matches(String pattern, String text) {
    return Pattern.matches(pattern, text);
  }
}

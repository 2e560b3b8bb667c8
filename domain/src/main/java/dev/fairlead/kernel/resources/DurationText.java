package dev.fairlead.kernel.resources;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations on the wire: one whole number and one unit, {@code 90s 30m 48h 7d}, also {@code 500ms}.
 */
public final class DurationText {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
  private static final Duration LONGEST = Duration.ofDays(3650);

  private DurationText() {}

  /** The result is empty when the text is not a duration or longer than ten years. */
  public static Optional<Duration> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(form.group(1));
    Duration duration =
        switch (form.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m" -> Duration.ofMinutes(amount);
          case "h" -> Duration.ofHours(amount);
          default -> Duration.ofDays(amount);
        };
    return duration.compareTo(LONGEST) > 0 ? Optional.empty() : Optional.of(duration);
  }

  /** Formats a duration in the largest unit without a fraction: 5400 s as {@code 90m}. */
  public static String of(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds != 0 && seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds != 0 && seconds % 3600 == 0) {
      return seconds / 3600 + "h";
    }
    return seconds != 0 && seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }
}

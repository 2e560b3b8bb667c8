package dev.fairlead.kernel.web;

import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of query parameters and headers. Refuses unreadable values with the name of the
 * parameter.
 */
public final class Parameters {
  private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

  private static final String TIME = "a time from 1970 to 9998 such as 2030-01-31T08:00:00Z";

  private static final Duration YEAR = Duration.ofDays(366);

  private static final Duration MONTH = Duration.ofDays(31);

  private Parameters() {}

  public static int pageSize(int given) {
    return range("pageSize", given, 1, Page.MOST);
  }

  public static int range(String name, int given, int least, int most) {
    if (given < least || given > most) {
      throw refused(name, "must be from " + least + " to " + most + ", not " + given);
    }
    return given;
  }

  public static <E extends Enum<E>> E choice(String name, Class<E> type, String given) {
    return Arrays.stream(type.getEnumConstants())
        .filter(e -> e.name().equalsIgnoreCase(given))
        .findFirst()
        .orElseThrow(() ->
            refused(
                name,
                "must be one of "
                    + String.join(
                        ", ", Arrays.stream(type.getEnumConstants()).map(Enum::name).toList())
                    + ", not "
                    + given));
  }

  /**
   * @param name name of the parameter
   * @throws Refusal INVALID_PARAMETER for text that is not a DNS label, or is too long
   */
  public static void requireLabel(String name, String given, int longest) {
    if (!Names.isLabel(given, longest)) {
      throw refused(
          name,
          "must be a DNS label: at most %d lower case letters, digits and -, beginning and ending with a letter or digit"
              .formatted(longest));
    }
  }

  /**
   * @throws Refusal INVALID_PARAMETER for any other word
   */
  public static void word(String name, SortedSet<String> known, String given) {
    if (!known.contains(given)) {
      throw refused(name, "must be one of " + String.join(", ", known));
    }
  }

  /** A time, or a duration of at most ten years before now. */
  public static @Nullable Instant since(String name, @Nullable String given, Instant now) {
    if (given == null) {
      return null;
    }
    return DurationText.parse(given)
        .map(now::minus)
        .or(() -> parsed(given))
        .orElseThrow(() ->
            refused(name, "must be " + TIME + ", or a duration of at most 3650d such as 24h"));
  }

  /**
   * A future time, or a duration from now. At most a year ahead.
   *
   * @throws Refusal INVALID_PARAMETER
   */
  public static @Nullable Instant ahead(String name, @Nullable String given, Instant now) {
    if (given == null) {
      return null;
    }
    Optional<Instant> at = DurationText.parse(given).map(now::plus).or(() -> parsed(given));
    return at.filter(t -> t.isAfter(now) && !t.isAfter(now.plus(YEAR)))
        .map(t -> t.truncatedTo(ChronoUnit.MILLIS))
        .orElseThrow(() ->
            refused(
                name,
                "must be a time of the next 366 days such as 2030-01-31T08:00:00Z, or a duration"
                    + " of at most 366d from now such as 2h"));
  }

  /**
   * The time range of a report.
   *
   * @param to end, not before from
   */
  public record Span(Instant from, Instant to) {}

  /**
   * The time range between two parameters, each a time or a duration before now.
   *
   * @param first name of the parameter with the start. This long before the end when absent
   * @param last name of the parameter with the end. Now when absent
   * @throws Refusal INVALID_PARAMETER, also for a start after the end
   */
  public static Span span(
      String first,
      @Nullable String from,
      String last,
      @Nullable String to,
      Duration usual,
      Instant now) {
    Instant end = Objects.requireNonNullElse(since(last, to, now), now);
    Instant begin = Objects.requireNonNullElse(since(first, from, now), end.minus(usual));
    if (begin.isAfter(end)) {
      throw refused(
          first,
          "is %s, which must not be after %s (%s). Set a later end".formatted(begin, last, end));
    }
    return new Span(begin, end);
  }

  /**
   * Whole hours of a report.
   *
   * @param begin start of the first hour
   * @param end end of the last hour
   */
  public record Hours(Instant begin, Instant end) {}

  /**
   * The hours that overlap parameters from and to, each a time or a duration before now. When
   * absent, from is 31 days before to, and to is now.
   *
   * @throws Refusal INVALID_PARAMETER
   */
  public static Hours hours(@Nullable String from, @Nullable String to, Instant now) {
    Span span = span("from", from, "to", to, MONTH, now);
    Instant end = span.to().truncatedTo(ChronoUnit.HOURS);
    return new Hours(
        span.from().truncatedTo(ChronoUnit.HOURS),
        end.equals(span.to()) ? end : end.plus(Duration.ofHours(1)));
  }

  /**
   * @throws Refusal INVALID_PARAMETER
   */
  public static Instant time(String name, String given) {
    return parsed(given).orElseThrow(() -> refused(name, "must be " + TIME));
  }

  /** RFC 3339 with an offset, years 1970 to 9998, as in request bodies. */
  private static Optional<Instant> parsed(String given) {
    try {
      Instant time = OffsetDateTime.parse(given).toInstant();
      return Optional.of(time).filter(t -> !t.isBefore(Instant.EPOCH) && t.isBefore(LATEST));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  public static Refusal refused(String name, String detail) {
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("parameter", name);
    return new Refusal(
        ProblemCode.INVALID_PARAMETER,
        "The parameter " + name + " " + detail + (detail.endsWith("?") ? "" : "."),
        List.of(),
        numbers);
  }
}

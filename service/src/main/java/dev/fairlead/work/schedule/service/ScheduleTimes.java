package dev.fairlead.work.schedule.service;

import dev.fairlead.work.schedule.Schedule.RepeatedTime;
import dev.fairlead.work.schedule.Schedule.SkippedTime;
import dev.fairlead.work.schedule.Schedule.Timing;
import dev.fairlead.work.schedule.ScheduleState;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * The instants of a schedule, a pure function of its timing. A cron expression gives local times,
 * and the rules of the time zone and of the schedule turn each into zero, one or two instants.
 */
public final class ScheduleTimes {
  /** Values of each field in a message, in the order of the fields. */
  private static final List<String> VALUES =
      List.of(
          "minutes from 0 to 59",
          "hours from 0 to 23",
          "days of the month from 1 to 31",
          "months from 1 to 12 or JAN to DEC",
          "days of the week from 0 to 7 or SUN to SAT");

  private static final int FIELDS = VALUES.size();
  private static final int DAY = 2;
  private static final int WEEKDAY = 4;

  /** Maximum number of offset changes that a search for the next instant passes, about 30 years. */
  private static final int MOST_CHANGES = 64;

  private static final String ITEM =
      "(\\*|([0-9]{1,2}|[A-Za-z]{3})(-([0-9]{1,2}|[A-Za-z]{3}))?)(/[0-9]{1,2})?";

  /** Without the letters of other dialects, such as L and W. */
  private static final Pattern FIELD = Pattern.compile(ITEM + "(," + ITEM + ")*");

  private final Timing timing;
  private final ZoneRules rules;
  private final List<CronExpression> either;

  private ScheduleTimes(Timing timing, ZoneRules rules, List<CronExpression> either) {
    this.timing = timing;
    this.rules = rules;
    this.either = either;
  }

  /**
   * @throws IllegalArgumentException for a timing that {@link #cronProblem} or {@link #zoneProblem}
   *     refuses
   */
  public static ScheduleTimes of(Timing timing) {
    return new ScheduleTimes(
        timing, ZoneId.of(timing.timeZone()).getRules(), expressions(timing.cron()));
  }

  /** Returns the reason why the expression is refused, or null. */
  public static @Nullable String cronProblem(String cron) {
    try {
      LocalDateTime any = LocalDateTime.of(2000, 1, 1, 0, 0);
      boolean ever = expressions(cron).stream().anyMatch(each -> each.next(any) != null);
      return ever ? null : "must name a day that exists in a month of field 4, unlike " + cron;
    } catch (IllegalArgumentException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  /** Returns the reason why the time zone is refused, or null. */
  public static @Nullable String zoneProblem(String zone) {
    try {
      ZoneId known = ZoneId.of(zone);
      boolean named = zone.equals("UTC") || zone.contains("/") && known.getId().equals(zone);
      return named ? null : "must be UTC or a name such as Europe/Berlin, not " + zone;
    } catch (DateTimeException unknown) {
      return "must be UTC or a name such as Europe/Berlin, not " + zone;
    }
  }

  /**
   * As in cron, if both the day of the month and the day of the week are restricted, a day counts
   * if either matches.
   */
  private static List<CronExpression> expressions(String cron) {
    List<String> fields = List.of(cron.strip().split("\\s+"));
    if (fields.size() != FIELDS) {
      throw new IllegalArgumentException(
          "must have five fields: minute, hour, day of the month, month and day of the week");
    }
    for (String field : fields) {
      if (!FIELD.matcher(field).matches()) {
        throw new IllegalArgumentException(
            "must have *, numbers, names, ranges, lists and steps, not " + field);
      }
    }
    IntStream.range(0, FIELDS).forEach(at -> checkValues(at, fields.get(at)));
    boolean both = !fields.get(DAY).startsWith("*") && !fields.get(WEEKDAY).startsWith("*");
    return both
        ? List.of(parsed(fields, WEEKDAY), parsed(fields, DAY))
        : List.of(parsed(fields, -1));
  }

  /** Parses one field between fields without a bound, so that the message names the field. */
  private static void checkValues(int at, String field) {
    List<String> alone = new ArrayList<>(Collections.nCopies(FIELDS, "*"));
    alone.set(at, field);
    try {
      CronExpression _ = parsed(alone, -1);
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(
          "must have %s in field %d, in ascending ranges and with steps from 1, not %s"
              .formatted(VALUES.get(at), at + 1, field),
          refused);
    }
  }

  private static CronExpression parsed(List<String> fields, int ignored) {
    List<String> six = new ArrayList<>(fields);
    if (ignored >= 0) {
      six.set(ignored, "*");
    }
    return CronExpression.parse("0 " + String.join(" ", six));
  }

  /** The time by which each start of a schedule is delayed, from a hash of its document's name. */
  public Duration delay(String document) {
    CRC32 hash = new CRC32();
    hash.update(document.getBytes(StandardCharsets.UTF_8));
    return Duration.ofSeconds(hash.getValue() % (timing.jitter().toSeconds() + 1));
  }

  /** The first instant after that time, or empty for none within 30 years. */
  public Optional<Instant> next(Instant after) {
    Instant from = after.plusNanos(1);
    for (int changes = 0; changes < MOST_CHANGES; changes++) {
      ZoneOffsetTransition begin = rules.previousTransition(from.plusNanos(1));
      ZoneOffsetTransition end = rules.nextTransition(from);
      Optional<Instant> found =
          Stream.of(regular(from, begin), shifted(from, begin))
              .flatMap(Optional::stream)
              .filter(each -> end == null || each.isBefore(end.getInstant()))
              .min(Comparator.naturalOrder());
      if (found.isPresent() || end == null) {
        return found;
      }
      from = end.getInstant();
    }
    return Optional.empty();
  }

  private Optional<Instant> regular(Instant from, @Nullable ZoneOffsetTransition begin) {
    ZoneOffset offset = rules.getOffset(from);
    LocalDateTime first = LocalDateTime.ofInstant(from, offset);
    if (begin != null
        && begin.isOverlap()
        && timing.repeatedTime() == RepeatedTime.ONCE
        && first.isBefore(begin.getDateTimeBefore())) {
      first = begin.getDateTimeBefore();
    }
    return local(first).map(found -> found.toInstant(offset));
  }

  /** Local times of the gap, by the offset before it. */
  private Optional<Instant> shifted(Instant from, @Nullable ZoneOffsetTransition begin) {
    if (begin == null || !begin.isGap() || timing.skippedTime() == SkippedTime.SKIP) {
      return Optional.empty();
    }
    ZoneOffset offset = begin.getOffsetBefore();
    return local(LocalDateTime.ofInstant(from, offset))
        .filter(found -> found.isBefore(begin.getDateTimeAfter()))
        .map(found -> found.toInstant(offset));
  }

  private Optional<LocalDateTime> local(LocalDateTime first) {
    LocalDateTime before = first.minusNanos(1);
    return either.stream()
        .map(each -> each.next(before))
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder());
  }

  /** The next instants after that time, at most {@code limit}. */
  public List<Instant> next(Instant after, int limit) {
    List<Instant> found = new ArrayList<>();
    Optional<Instant> next = next(after);
    while (next.isPresent() && found.size() < limit) {
      found.add(next.get());
      next = next(next.get());
    }
    return found;
  }

  /**
   * The state with the next instant after the decided ones. A late schedule is processed after the
   * waiting schedules, so that its backlog does not delay others.
   */
  ScheduleState planned(ScheduleState state, Instant now) {
    Instant next = next(state.decided()).orElse(null);
    if (next == null) {
      return state.next(null, null);
    }
    Instant at = next.plus(delay(state.document()));
    return state.next(next, at.isBefore(now) ? now : at);
  }
}

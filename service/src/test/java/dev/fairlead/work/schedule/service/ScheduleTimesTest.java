package dev.fairlead.work.schedule.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.schedule.Schedule.RepeatedTime;
import dev.fairlead.work.schedule.Schedule.SkippedTime;
import dev.fairlead.work.schedule.Schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTimesTest {
  private static final int CHANGES = Integer.getInteger("fairlead.schedule.zones", 80);
  private static final String BERLIN = "Europe/Berlin";

  private static ScheduleTimes times(String cron, String zone) {
    return times(cron, zone, RepeatedTime.ONCE, SkippedTime.SHIFT);
  }

  private static ScheduleTimes times(
      String cron, String zone, RepeatedTime repeated, SkippedTime skipped) {
    return ScheduleTimes.of(new Timing(cron, zone, repeated, skipped, Duration.ZERO));
  }

  private static List<String> next(ScheduleTimes times, String after, int limit) {
    return times.next(Instant.parse(after), limit).stream().map(Instant::toString).toList();
  }

  @Test
  void aSkippedLocalTimeMovesForwardByTheGap() {
    assertThat(next(times("30 2 * * *", BERLIN), "2030-03-30T12:00:00Z", 2))
        .containsExactly("2030-03-31T01:30:00Z", "2030-04-01T00:30:00Z");
  }

  @Test
  void skippedLocalTimeHasNoInstantUnderTheSkipPolicy() {
    assertThat(
            next(
                times("30 2 * * *", BERLIN, RepeatedTime.ONCE, SkippedTime.SKIP),
                "2030-03-30T12:00:00Z",
                1))
        .containsExactly("2030-04-01T00:30:00Z");
  }

  @Test
  void repeatedLocalTimeCountsOnceOrTwice() {
    String before = "2030-10-26T12:00:00Z";
    assertThat(next(times("30 2 * * *", BERLIN), before, 2))
        .containsExactly("2030-10-27T00:30:00Z", "2030-10-28T01:30:00Z");
    assertThat(next(times("30 2 * * *", BERLIN, RepeatedTime.TWICE, SkippedTime.SHIFT), before, 3))
        .containsExactly("2030-10-27T00:30:00Z", "2030-10-27T01:30:00Z", "2030-10-28T01:30:00Z");
  }

  /** Fails when the instants of a gap are added to those behind it, or a repeated hour is lost. */
  @Test
  void hourlyScheduleRunsOnceInARepeatedHour() {
    ScheduleTimes hourly = times("15 * * * *", BERLIN, RepeatedTime.TWICE, SkippedTime.SHIFT);
    for (String begin : List.of("2030-03-30T12:00:00Z", "2030-10-26T12:00:00Z")) {
      List<Instant> found = hourly.next(Instant.parse(begin), 48);
      for (int hour = 0; hour < 48; hour++) {
        assertThat(found.get(hour))
            .isEqualTo(Instant.parse(begin).plus(Duration.ofMinutes(60L * hour + 15)));
      }
    }
  }

  @Test
  void dayOmittedByAZoneMovesToTheNextOne() {
    assertThat(next(times("0 12 30 12 *", "Pacific/Apia"), "2011-12-01T00:00:00Z", 1))
        .containsExactly("2011-12-30T22:00:00Z");
  }

  @Test
  void dayMatchingEitherRestrictionCounts() {
    assertThat(next(times("0 0 13 * FRI", "UTC"), "2030-09-01T00:00:00Z", 3))
        .containsExactly("2030-09-06T00:00:00Z", "2030-09-13T00:00:00Z", "2030-09-20T00:00:00Z");
    assertThat(next(times("0 0 13 * *", "UTC"), "2030-09-01T00:00:00Z", 2))
        .containsExactly("2030-09-13T00:00:00Z", "2030-10-13T00:00:00Z");
  }

  @Test
  void aLeapDayIsFoundYearsLater() {
    assertThat(next(times("0 0 29 2 *", BERLIN), "2096-03-01T00:00:00Z", 1))
        .containsExactly("2104-02-28T23:00:00Z");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "* * * *",
        "0 0 0 * * *",
        "@daily",
        "60 * * * *",
        "0 0 L * *",
        "0 0 15W * *",
        "0 0 * * 5L",
        "0 0 ? * *",
        "0 0 30 2 *",
        "*/0 * * * *",
        "a * * * *",
        ""
      })
  void expressionOfAnotherDialectIsRejected(String cron) {
    assertThat(ScheduleTimes.cronProblem(cron)).isNotNull();
  }

  /** Fails when the message of the library is returned, which counts six fields. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "60 * * * *       | must have minutes from 0 to 59 in field 1,",
        "0 0 * * FRI-MON  | must have days of the week from 0 to 7 or SUN to SAT in field 5,",
        "0 */0 * * *      | must have hours from 0 to 23 in field 2,",
        "0 0 32 * 1       | must have days of the month from 1 to 31 in field 3,",
      })
  void theMessageNamesTheFieldAndItsValues(String cron, String beginning) {
    assertThat(ScheduleTimes.cronProblem(cron))
        .startsWith(beginning)
        .contains("steps from 1, not ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"30 2 * * MON-FRI", "*/15 0-6,22 1,15 JAN-MAR *", "0 0 * * 7"})
  void cronExpressionIsAccepted(String cron) {
    assertThat(ScheduleTimes.cronProblem(cron)).isNull();
  }

  @Test
  void theMessageHasADayThatNoMonthHasAndATimeZoneWithAnExample() {
    assertThat(ScheduleTimes.cronProblem("0 0 30 2 *"))
        .satisfies(reason("schedule-times.must-name-day-month", 4, 0, 0, 30, 2));
    assertThat(ScheduleTimes.zoneProblem("Berlin"))
        .satisfies(reason("schedule-times.must-utc-name-such", "Europe/Berlin"));
  }

  @Test
  void aTimeZoneIsNamed() {
    assertThat(ScheduleTimes.zoneProblem("UTC")).isNull();
    assertThat(ScheduleTimes.zoneProblem(BERLIN)).isNull();
    assertThat(ScheduleTimes.zoneProblem("+02:00")).isNotNull();
    assertThat(ScheduleTimes.zoneProblem("Europe/Nowhere")).isNotNull();
    assertThat(ScheduleTimes.zoneProblem("")).isNotNull();
  }

  @Test
  void theDelayDependsOnTheNameAndIsAtMostTheJitter() {
    ScheduleTimes times =
        ScheduleTimes.of(
            new Timing(
                "* * * * *", "UTC", RepeatedTime.ONCE, SkippedTime.SHIFT, Duration.ofMinutes(10)));
    List<Duration> delays = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      delays.add(times.delay("prj_1/s" + i));
    }
    assertThat(delays)
        .allMatch(each -> !each.isNegative() && each.compareTo(Duration.ofMinutes(10)) <= 0);
    assertThat(delays.stream().distinct().count()).isGreaterThan(400);
    assertThat(times.delay("prj_1/s7")).isEqualTo(delays.get(7));
  }

  /**
   * The law: the function finds the same as a check of every minute. {@code
   * -Dfairlead.schedule.zones=n} sets the number of changes.
   */
  @Test
  void noInstantIsLostOrAddedAroundAnyChangeOfAnyZone() {
    Random random = new Random(7);
    List<String> zones =
        ZoneId.getAvailableZoneIds().stream().filter(id -> id.contains("/")).sorted().toList();
    int changes = 0;
    while (changes < CHANGES) {
      String zone = zones.get(random.nextInt(zones.size()));
      ZoneRules rules = ZoneId.of(zone).getRules();
      Instant some = Instant.ofEpochSecond(random.nextLong(0, 2_500_000_000L));
      ZoneOffsetTransition change = rules.nextTransition(some);
      if (change == null || change.getInstant().getEpochSecond() % 60 != 0) {
        continue;
      }
      changes++;
      String cron = cron(random);
      for (RepeatedTime repeated : RepeatedTime.values()) {
        for (SkippedTime skipped : SkippedTime.values()) {
          Instant begin =
              change.getInstant().minus(Duration.ofHours(30)).truncatedTo(ChronoUnit.HOURS);
          Instant end = begin.plus(Duration.ofHours(60));
          List<Instant> expected = new ArrayList<>();
          for (Instant at = begin.plusSeconds(60); !at.isAfter(end); at = at.plusSeconds(60)) {
            if (counts(at, cron, rules, repeated, skipped)) {
              expected.add(at);
            }
          }
          List<Instant> found =
              times(cron, zone, repeated, skipped).next(begin, expected.size() + 1).stream()
                  .filter(each -> !each.isAfter(end))
                  .toList();
          assertThat(found)
              .as("%s in %s around %s, %s, %s", cron, zone, change, repeated, skipped)
              .isEqualTo(expected);
        }
      }
    }
  }

  private static String cron(Random random) {
    String minute =
        switch (random.nextInt(4)) {
          case 0 -> "*/" + (1 + random.nextInt(30));
          case 1 -> "*";
          case 2 -> random.nextInt(60) + "," + random.nextInt(60);
          default -> Integer.toString(random.nextInt(60));
        };
    String hour =
        switch (random.nextInt(3)) {
          case 0 -> "*";
          case 1 -> "0-" + (1 + random.nextInt(4));
          default -> Integer.toString(random.nextInt(24));
        };
    return minute + " " + hour + " * * *";
  }

  /** Returns whether the minute is an instant, judged only by the text of the policies. */
  private static boolean counts(
      Instant at, String cron, ZoneRules rules, RepeatedTime repeated, SkippedTime skipped) {
    ZoneOffset offset = rules.getOffset(at);
    LocalDateTime local = LocalDateTime.ofInstant(at, offset);
    List<ZoneOffset> valid = rules.getValidOffsets(local);
    boolean second = valid.size() == 2 && !offset.equals(valid.getFirst());
    if (matches(cron, local) && !(second && repeated == RepeatedTime.ONCE)) {
      return true;
    }
    ZoneOffsetTransition last = rules.previousTransition(at.plusNanos(1));
    if (skipped == SkippedTime.SKIP || last == null || !last.isGap()) {
      return false;
    }
    LocalDateTime unshifted = LocalDateTime.ofInstant(at, last.getOffsetBefore());
    return unshifted.isBefore(last.getDateTimeAfter()) && matches(cron, unshifted);
  }

  private static boolean matches(String cron, LocalDateTime local) {
    String[] fields = cron.split(" ");
    return local.getSecond() == 0
        && matches(fields[0], local.getMinute())
        && matches(fields[1], local.getHour());
  }

  private static boolean matches(String field, int value) {
    if (field.startsWith("*/")) {
      return value % Integer.parseInt(field.substring(2)) == 0;
    }
    if (field.contains("-")) {
      return value <= Integer.parseInt(field.substring(field.indexOf('-') + 1));
    }
    return field.equals("*") || List.of(field.split(",")).contains(Integer.toString(value));
  }
}

package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The value of a limit with windows at a time, and the time of its next change. */
class QuotaLimitTest {
  private static final QuotaLimit NIGHTS =
      limit(32L, 8L, night("0 22 * * *", Duration.ofHours(8), 64L, null));

  private static QuotaLimit limit(
      @Nullable Long nominal, @Nullable Long borrowing, LimitWindow... windows) {
    return new QuotaLimit(
        Trees.CELL.flavor(), "gpu", nominal, borrowing, null, List.of(windows), null);
  }

  private static LimitWindow night(
      String cron, Duration duration, @Nullable Long nominal, @Nullable Long borrowing) {
    return new LimitWindow(
        RecurringWindow.of(Cron.parse(cron), duration, RecurringWindow.zone("Europe/Berlin")),
        nominal,
        borrowing);
  }

  /** Fails when a window ends after its elapsed time, or includes its last instant. */
  @ParameterizedTest
  @CsvSource({
    "2026-03-28T20:59:59.999Z, 32",
    "2026-03-28T21:00:00Z, 64",
    "2026-03-29T03:59:59.999Z, 64",
    "2026-03-29T04:00:00Z, 32",
    "2026-10-24T20:00:00Z, 64",
    "2026-10-25T04:59:59.999Z, 64",
    "2026-10-25T05:00:00Z, 32"
  })
  void windowFollowsTheClockOfItsZoneAcrossChanges(Instant time, long nominal) {
    assertThat(NIGHTS.at(time)).isEqualTo(limit(nominal, 8L));
  }

  /** Fails when the last or the largest of several windows decides. */
  @Test
  void firstOfSeveralOpenWindowsApplies() {
    LimitWindow sunday = night("0 0 * * SUN", Duration.ofDays(1), 0L, 2L);
    QuotaLimit limit = limit(32L, null, sunday, NIGHTS.windows().getFirst());

    assertThat(limit.at(Instant.parse("2026-06-06T21:00:00Z"))).isEqualTo(limit(64L, null));
    assertThat(limit.at(Instant.parse("2026-06-06T23:00:00Z"))).isEqualTo(limit(0L, 2L));
    assertThat(limit.largest()).isEqualTo(limit(64L, null));
    assertThat(limit.smallest()).isEqualTo(limit(0L, 2L));
  }

  /** Fails when a window that follows another with the same amounts counts as a change. */
  @Test
  void limitListsTheTimesOfItsChanges() {
    LimitWindow late = night("0 6 * * *", Duration.ofHours(1), 64L, null);
    QuotaLimit limit = limit(32L, 8L, NIGHTS.windows().getFirst(), late);
    Instant now = Instant.parse("2026-06-06T12:00:00Z");

    assertThat(limit.from(now, 3))
        .extracting(LimitChange::at, c -> c.limit().nominal(), LimitChange::until)
        .containsExactly(
            tuple(now, 32L, Instant.parse("2026-06-06T20:00:00Z")),
            tuple(
                Instant.parse("2026-06-06T20:00:00Z"), 64L, Instant.parse("2026-06-07T05:00:00Z")),
            tuple(
                Instant.parse("2026-06-07T05:00:00Z"), 32L, Instant.parse("2026-06-07T20:00:00Z")));
    assertThat(limit.nextRise(now).orElseThrow().at())
        .isEqualTo(Instant.parse("2026-06-06T20:00:00Z"));
    assertThat(limit.nextRise(Instant.parse("2026-06-06T21:00:00Z")).isPresent()).isFalse();
  }

  /** Fails when jobs that were stopped in the lead start again before a shorter dip. */
  @Test
  void dipShorterThanTheLeadAppliesUntilItEnds() {
    LimitWindow dip = night("0 10 * * *", Duration.ofHours(1), 8L, null);
    QuotaLimit limit =
        new QuotaLimit(
            Trees.CELL.flavor(), "gpu", 64L, null, null, List.of(dip), Duration.ofHours(2));

    assertThat(limit.at(Instant.parse("2026-06-07T05:59:59Z")).nominal()).isEqualTo(64);
    assertThat(limit.at(Instant.parse("2026-06-07T06:00:00Z")).nominal()).isEqualTo(8);
    assertThat(limit.at(Instant.parse("2026-06-07T07:30:00Z")).nominal()).isEqualTo(8);
    assertThat(limit.at(Instant.parse("2026-06-07T08:59:59Z")).nominal()).isEqualTo(8);
    assertThat(limit.at(Instant.parse("2026-06-07T09:00:00Z")).nominal()).isEqualTo(64);
    assertThat(limit.changes(Instant.parse("2026-06-07T05:00:00Z"), 2))
        .extracting(LimitChange::at)
        .containsExactly(
            Instant.parse("2026-06-07T06:00:00Z"), Instant.parse("2026-06-07T09:00:00Z"));
  }

  /** Fails when a rise applies before its time, or a fall does not apply early. */
  @Test
  void lowerLimitAppliesWithinItsLead() {
    QuotaLimit limit =
        new QuotaLimit(
            Trees.CELL.flavor(), "gpu", 32L, 8L, null, NIGHTS.windows(), Duration.ofMinutes(30));

    assertThat(limit.at(Instant.parse("2026-06-06T19:59:59Z")).nominal()).isEqualTo(32);
    assertThat(limit.at(Instant.parse("2026-06-06T20:00:00Z")).nominal()).isEqualTo(64);
    assertThat(limit.at(Instant.parse("2026-06-07T03:29:59Z")).nominal()).isEqualTo(64);
    assertThat(limit.at(Instant.parse("2026-06-07T03:30:00Z")).nominal()).isEqualTo(32);
    assertThat(limit.nextChange(Instant.parse("2026-06-06T21:00:00Z")))
        .isEqualTo(Instant.parse("2026-06-07T03:30:00Z"));
    Instant night = Instant.parse("2026-06-06T21:00:00Z");
    Instant noon = Instant.parse("2026-06-06T12:00:00Z");
    assertThat(limit.evicts(night, limit.at(Instant.parse("2026-06-07T03:29:59Z")))).isFalse();
    assertThat(limit.evicts(night, limit.at(Instant.parse("2026-06-07T03:30:00Z")))).isTrue();
    assertThat(limit.evicts(noon, limit.at(night.plusSeconds(36_000)))).isFalse();
  }

  /**
   * Fails when a larger nominal quota hides a smaller borrowing limit: admitted jobs would exceed
   * it.
   */
  @Test
  void windowThatGrantsMoreAndLendsMuchLessEvicts() {
    LimitWindow night = night("0 22 * * *", Duration.ofHours(8), 15L, 5L);
    QuotaLimit limit =
        new QuotaLimit(Trees.CELL.flavor(), "gpu", 10L, 20L, null, List.of(night), Duration.ZERO);
    Instant noon = Instant.parse("2026-06-06T12:00:00Z");
    Instant midnight = Instant.parse("2026-06-06T22:00:00Z");

    assertThat(limit.evicts(noon, limit.at(midnight))).isTrue();
    assertThat(limit.nextRise(noon)).map(LimitChange::at).contains(midnight.minusSeconds(7_200));
  }
}

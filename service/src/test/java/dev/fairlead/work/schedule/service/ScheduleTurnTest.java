package dev.fairlead.work.schedule.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.Schedule.CatchUp;
import dev.fairlead.work.schedule.ScheduleId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ScheduleTurnTest {
  private static final Instant BEGIN = Instant.parse("2030-01-01T00:00:00Z");

  private static ScheduleTurn turn(CatchUp catchUp, Duration late) {
    Schedule.Timing timing =
        new Schedule.Timing(
            "* * * * *",
            "UTC",
            Schedule.RepeatedTime.ONCE,
            Schedule.SkippedTime.SHIFT,
            Duration.ZERO);
    Schedule schedule =
        new Schedule(
            new ScheduleId(new UUID(0, 1)),
            "minutely",
            "nlp",
            "mia",
            false,
            timing,
            catchUp,
            3,
            Schedule.Overlap.ALLOW,
            "{}");
    return ScheduleTurn.of(schedule, ScheduleTimes.of(timing), BEGIN, BEGIN.plus(late));
  }

  private static Instant minute(int number) {
    return BEGIN.plus(Duration.ofMinutes(number));
  }

  @Test
  void nothingIsDueBeforeTheNextInstant() {
    assertThat(turn(CatchUp.ALL, Duration.ofSeconds(59)))
        .isEqualTo(new ScheduleTurn(0, null, null));
  }

  @Test
  void dueInstantIsSubmittedWhateverTheCatchUp() {
    for (CatchUp each : CatchUp.values()) {
      assertThat(turn(each, Duration.ofSeconds(60)))
          .isEqualTo(new ScheduleTurn(0, null, minute(1)));
    }
  }

  @Test
  void withoutCatchUpNothingIsSubmittedAfterFiveMinutes() {
    assertThat(turn(CatchUp.NONE, Duration.ofMinutes(20)))
        .isEqualTo(new ScheduleTurn(14, minute(14), minute(15)));
  }

  @Test
  void lastDueInstantIsSubmitted() {
    assertThat(turn(CatchUp.LAST, Duration.ofDays(2)))
        .isEqualTo(new ScheduleTurn(2_879, minute(2_879), minute(2_880)));
  }

  @Test
  void missedInstantsUpToTheMaximumAreSubmitted() {
    assertThat(turn(CatchUp.ALL, Duration.ofMinutes(20)))
        .isEqualTo(new ScheduleTurn(17, minute(17), minute(18)));
  }

  /** Fails when a long outage is decided in one bounded pass and the remainder is dropped. */
  @Test
  void aLongOutageIsDecidedInSeveralSteps() {
    ScheduleTurn turn = turn(CatchUp.LAST, Duration.ofDays(30));
    assertThat(turn.missedUntil()).isEqualTo(minute(ScheduleTurn.MOST - 1));
    assertThat(turn.missed()).isEqualTo(ScheduleTurn.MOST - 1);
  }
}

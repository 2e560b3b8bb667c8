package dev.fairlead.care.health.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Judgement;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Repeated, late and harmless events of monitors, and the calls that they cost. */
class HealthIntakeRepeatsTest extends HealthIntakeScene {

  /** Fails when each node of a report is read although none of its events has an effect. */
  @Test
  void harmlessEventsReadNoNodes() {
    calls.clear();
    take(
        event(13, 0, null, stores.clock().instant()), event(31, 1, null, stores.clock().instant()));
    assertThat(calls)
        .as("one statement reads, one writes")
        .doesNotContain("lastReleased", "standing", "enter", "named", "known", "open", "nodes")
        .containsOnlyOnce("places", "insert");
  }

  /** Fails when a repeat among harmless events is stored, or answered as new. */
  @Test
  void repeatedHarmlessEventsReportTheStoredResult() {
    Instant now = stores.clock().instant();
    HealthEvent before = event(13, 0, null, now);
    HealthEvent twice = event(31, 0, null, now);
    HealthEvent ahead = event(13, 1, null, now.plus(Duration.ofHours(1)));
    HealthEvent nowhere = event(999, 9, null, now);
    take(before);
    assertThat(take(before, twice, ahead, nowhere, twice))
        .extracting(Intake::outcome)
        .containsExactly(
            Intake.Outcome.DUPLICATE,
            Intake.Outcome.STORED,
            Intake.Outcome.REFUSED,
            Intake.Outcome.STORED,
            Intake.Outcome.DUPLICATE);
  }

  /** Fails when each event is a row that is stored for a week. */
  @Test
  void programCrashingInALoopLeavesFewRows() {
    Instant now = stores.clock().instant();
    HealthEvent[] crashes =
        IntStream.range(0, 500)
            .mapToObj(i -> event(31, 0, "n0/0", now.minusSeconds(i)))
            .toArray(HealthEvent[]::new);
    assertThat(take(crashes)).extracting(Intake::outcome).containsOnly(Intake.Outcome.STORED);
    assertThat(stores.health().seen(world.cluster().id(), "n0/0", 31, now.minusSeconds(999), now))
        .as("the first and the last of each burst")
        .hasSizeBetween(2, 8)
        .contains(now, now.minusSeconds(499));
    HealthEvent fault = event(79, 1, "n1/0", now);
    assertThat(take(crashes[0], crashes[499], fault, event(31, 0, "n0/1", now)))
        .as("a repeat, also beside a fault")
        .extracting(Intake::outcome)
        .containsExactly(
            Intake.Outcome.DUPLICATE,
            Intake.Outcome.DUPLICATE,
            Intake.Outcome.STORED,
            Intake.Outcome.STORED);
  }

  /** Fails when a merged event ends a burst, or hides its end. */
  @Test
  void burstIsOneEventAtAnyLengthAndTheNextIsARepeat() {
    Instant start = stores.clock().instant().minus(Duration.ofMinutes(40));
    for (int i = 0; i < 60; i++) {
      Intake answer = take(event(109, 0, "n0/0", start.plusSeconds(29L * i))).getFirst();
      assertThat(answer.incident()).isNull();
    }
    Instant last = start.plusSeconds(29L * 59);
    assertThat(take(event(109, 0, "n0/0", last.plus(Judgement.SILENCE))).getFirst().incident())
        .isNull();
    Instant next = last.plus(Judgement.SILENCE.multipliedBy(2)).plusSeconds(1);
    assertThat(take(event(109, 0, "n0/0", next)).getFirst().incident()).isNotNull();
  }

  /**
   * A restarted monitor sends its events again with times of another clock. Fails when an event
   * counts as a repeat of itself.
   */
  @Test
  void resentEventWithAnotherTimeIsNotARepeat() {
    Instant now = stores.clock().instant();
    HealthEvent first = event(109, 0, "n0/0", now.minus(Duration.ofMinutes(10)));
    HealthEvent nowhere = event(109, 9, "n0/0", now.minus(Duration.ofMinutes(10)));
    take(first);
    take(nowhere);
    for (HealthEvent sent : List.of(first, nowhere)) {
      HealthEvent again = new HealthEvent(sent.id(), now, "n0", sent.gpu(), null, sent.xid(), "");
      assertThat(take(again)).extracting(Intake::outcome).containsOnly(Intake.Outcome.DUPLICATE);
    }
    assertThat(standing()).isEmpty();

    assertThat(report(109, 0, 0).incident()).as("another one").isNotNull();
  }

  @Test
  void worseFaultTakesOverEvenAfterTheBurst() {
    // Fails when the scope of the first burst does not change while the incident is open.
    Incident first = incident(report(48, 0, 0));
    assertThat(first.scope()).isEqualTo(FaultScope.GPU);
    stores.clock().advance(Duration.ofHours(5));
    Incident worse = incident(report(79, 0, 0));

    assertThat(worse.id()).isEqualTo(first.id());
    assertThat(worse.scope()).isEqualTo(FaultScope.NODE);
    assertThat(worse.xid()).isEqualTo(79);
    assertThat(incident(report(48, 0, 0)).xid()).as("a weaker one").isEqualTo(79);
  }

  @Test
  void oldEventIsCountedWithoutWideningTheScope() {
    // Fails when a replay from before the fault counts as its burst.
    report(48, 0, 0);
    Instant now = stores.clock().instant();
    report(79, 0, 0, now.minus(Duration.ofMinutes(4)));
    Incident after = incident(report(79, 0, 0, now.minus(Duration.ofHours(2))));

    assertThat(after.scope()).isEqualTo(FaultScope.GPU);
    assertThat(after.xid()).isEqualTo(48);
    assertThat(after.events()).isEqualTo(3);
    Incident near = incident(report(79, 0, 0, now.minus(Duration.ofMinutes(3))));
    assertThat(near.scope()).as("of the same burst, late").isEqualTo(FaultScope.NODE);
  }

  @Test
  void batchReadsOnlyItsNodesAndTheQuarantinesOnce() {
    // Fails when the intake reads the fleet, or the quarantines for each event.
    Instant now = stores.clock().instant();
    HealthEvent[] batch =
        IntStream.range(0, 100)
            .mapToObj(i -> event(79, i % NODES, "n" + i % NODES + "/" + i % 8, now))
            .toArray(HealthEvent[]::new);
    calls.clear();
    take(batch);

    assertThat(calls).doesNotContain("nodes");
    assertThat(Collections.frequency(calls, "standing")).isEqualTo(1);
    assertThat(Collections.frequency(calls, "size")).isEqualTo(1);
    assertThat(Collections.frequency(calls, "lastReleased")).isEqualTo(NODES);
    assertThat(Collections.frequency(calls, "enter")).isEqualTo(1);
  }

  @Test
  void eventThatIsolatesAndJoinsNothingTakesNoLock() {
    // Fails when reports of a harmless code wait for all other reports of the cluster.
    Instant now = stores.clock().instant();
    HealthEvent known = event(79, 0, "n0/0", now);
    take(known, event(31, 1, "n1/0", now));
    calls.clear();
    take(event(31, 1, "n1/0", now), event(999, 0, "n0/0", now), event(79, 9, null, now), known);
    assertThat(calls).doesNotContain("enter", "standing");
    take(event(31, 0, "n0/0", now));
    assertThat(calls).as("joins the open incident").contains("enter");
  }
}

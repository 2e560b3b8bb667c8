package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stops by a drain at its deadline. */
class DrainDeadlineTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Instant DEADLINE = Watched.START.plus(HOUR);

  @Test
  void nonPreemptibleJobsAreNeverStoppedBeforeTheDeadline() {
    // Fails when a future deadline counts.
    Watched firm = Watched.running(firm()).drained(0, DEADLINE);
    assertThat(firm.judge().lookAgainAt()).isEqualTo(DEADLINE);
    firm.after(HOUR.minusMillis(1)).judge();

    assertThat(firm.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void jobRunsToItsEndWithoutADrainDeadline() {
    // Fails when each drain has a deadline.
    Watched firm = Watched.running(firm()).drained(0);
    firm.after(HOUR.multipliedBy(1000)).judge();

    assertThat(firm.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void jobIsStoppedAtTheDeadlineWithItsGracePeriodAndItsOwnerReadsWhy() {
    Watched gang = Watched.running(firm().workers(2)).drained(1, DEADLINE);
    gang.after(HOUR).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.DRAIN);
    assertThat(gang.attempt().stop().deadline()).isEqualTo(DEADLINE.plusSeconds(30));

    gang.exits(0, 143, "Error").exits(1, 143, "Error").judge();
    assertThat(gang.state()).as("which spends no retry").isEqualTo(AttemptState.PREEMPTED);
    assertThat(gang.attempt().failure().message())
        .contains("node n1 is being drained, by the deadline " + DEADLINE);
  }

  @Test
  void jobIsAskedToCheckpointFirst() {
    Watched saves =
        Watched.running(firm().checkpointTimeout(Duration.ofMinutes(5))).drained(0, DEADLINE);
    saves.after(HOUR).judge();

    assertThat(saves.attempt().awaitedCheckpoint().until()).isEqualTo(DEADLINE.plusSeconds(300));
  }

  @Test
  void deadlineAlsoEndsAMinimumRuntime() {
    Watched least =
        Watched.running(Specs.job("least").minRuntime(Duration.ofDays(1))).drained(0, DEADLINE);
    least.after(HOUR.minusMillis(1)).judge();
    assertThat(least.state()).isEqualTo(AttemptState.RUNNING);

    least.after(HOUR).judge();
    assertThat(least.state()).isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when a drain of the node hides that of its cluster, or the later one counts. */
  @ParameterizedTest
  @CsvSource({"60, 90, 60", "90, 60, 60", ", 60, 60", "60, , 60", ", ,"})
  void earlierOfNodeAndClusterDeadlineApplies(
      @Nullable Integer cluster, @Nullable Integer node, @Nullable Integer first) {
    NodeId there = new NodeId(new UUID(1, 1));
    DrainScope scope =
        new DrainScope(
            true,
            new TreeSet<>(),
            at(cluster),
            node == null ? Collections.emptySortedMap() : new TreeMap<>(Map.of(there, at(node))),
            Collections.emptySortedMap());

    assertThat(scope.stopsAt(there)).isEqualTo(at(first));
  }

  private static Specs firm() {
    return Specs.job("firm").priority(PriorityClass.HIGH);
  }

  private static @Nullable Instant at(@Nullable Integer seconds) {
    return seconds == null ? null : Watched.START.plusSeconds(seconds);
  }
}

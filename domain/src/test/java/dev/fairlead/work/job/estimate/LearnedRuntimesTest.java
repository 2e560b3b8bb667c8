package dev.fairlead.work.job.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The expected duration of a run, from the most similar runs. */
class LearnedRuntimesTest {
  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");
  private static final RunGroup MINE = group("ann", "train", "1x8");
  private final LearnedRuntimes learned = new LearnedRuntimes();

  @Test
  void groupWithManyRunsUsesItsOwnRuntimes() {
    ran(100, group("bob", "eval", "1x8"), Duration.ofHours(10), NOW);
    ran(100, MINE, Duration.ofMinutes(10), NOW);

    assertThat(fresh(MINE)).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(13));
    assertThat(fresh(group("bob", "eval", "1x8"))).isGreaterThan(Duration.ofHours(8));
  }

  /** Fails when a quantile of another group is used, or it exceeds the job's maximum. */
  @Test
  void runtimeEstimateUsesTheQuantilesOfItsGroupUpToItsLongest() {
    ran(80, MINE, Duration.ofMinutes(10), NOW);
    ran(20, MINE, Duration.ofHours(10), NOW);

    ExpectedRun run = learned.expected(MINE, null, NOW);

    assertThat(run.p50()).isBetween(Duration.ofMinutes(8), Duration.ofMinutes(13));
    assertThat(run.p90()).isBetween(Duration.ofHours(8), Duration.ofHours(12));
    assertThat(run.runs()).isEqualTo(100);
    assertThat(run.level()).isEqualTo(RunGroup.Level.IMAGE);
    assertThat(learned.expected(MINE, Duration.ofHours(1), NOW).p90())
        .isEqualTo(Duration.ofHours(1));
    assertThat(learned.expected(group("eve", "other", "9x1"), null, NOW).level())
        .isEqualTo(RunGroup.Level.ALL);
  }

  /** Fails when an estimate without data is returned. */
  @Test
  void nothingIsEstimatedWithoutRuns() {
    assertThat(learned.expected(MINE, null, NOW)).isNull();
  }

  /** Fails without the wider groups: then a single run decides. */
  @Test
  void groupWithOneRunIsEstimatedFromGroupsOfItsShape() {
    ran(100, group("bob", "eval", "1x8"), Duration.ofHours(1), NOW);
    ran(1, MINE, Duration.ofSeconds(10), NOW);

    assertThat(fresh(MINE)).isBetween(Duration.ofMinutes(45), Duration.ofMinutes(75));
  }

  /** Fails without decay. */
  @Test
  void oldRunsCountLess() {
    ran(100, MINE, Duration.ofHours(10), NOW.minus(LearnedRuntimes.HALF_LIFE.multipliedBy(6)));
    ran(10, MINE, Duration.ofMinutes(10), NOW);

    assertThat(fresh(MINE)).isLessThan(Duration.ofMinutes(20));
  }

  /**
   * Fails when a thousand runs of one sweep have the weight of a thousand for other users' jobs.
   */
  @Test
  void longSweepOfOneGroupDoesNotDominateTheOthers() {
    ran(1000, group("sweep", "grid", "1x8"), Duration.ofMinutes(1), NOW);
    for (int user = 0; user < 40; user++) {
      ran(2, group("u" + user, "train", "1x8"), Duration.ofHours(5), NOW);
    }

    assertThat(fresh(MINE)).isGreaterThan(Duration.ofHours(3));
  }

  @Test
  void jobBeyondAllKnownRuntimesIsExpectedToRunAsLongAgain() {
    ran(100, MINE, Duration.ofMinutes(10), NOW);

    Duration rest = learned.remaining(MINE, Duration.ofDays(3), NOW);

    assertThat(rest).isBetween(Duration.ofHours(65), Duration.ofHours(79));
  }

  @Test
  void elapsedRuntimeIsSubtracted() {
    ran(100, MINE, Duration.ofMinutes(60), NOW);

    assertThat(learned.remaining(MINE, Duration.ofMinutes(55), NOW))
        .isLessThan(Duration.ofMinutes(20));
  }

  @Test
  void queueAdvancesByTheAverageRuntime() {
    ran(90, MINE, Duration.ofMinutes(1), NOW);
    ran(10, MINE, Duration.ofHours(10), NOW);

    assertThat(fresh(MINE)).isLessThan(Duration.ofMinutes(2));
    assertThat(learned.average(MINE, NOW)).isBetween(Duration.ofMinutes(45), Duration.ofHours(2));
  }

  private Duration fresh(RunGroup group) {
    return learned.remaining(group, Duration.ZERO, NOW);
  }

  private void ran(int runs, RunGroup group, Duration took, Instant ended) {
    for (int i = 0; i < runs; i++) {
      learned.add(new LearnedRuntimes.Run(group, ended, took));
    }
  }

  private static RunGroup group(String user, String image, String shape) {
    return new RunGroup(new ProjectId(new UUID(1, user.hashCode())), user, image, shape);
  }
}

package dev.fairlead.work.job.estimate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** By when jobs start follows from how far earlier foreseen starts held. */
class LearnedWaitsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));
  private final LearnedWaits waits = new LearnedWaits();
  private Instant now;

  @BeforeEach
  void aTime() {
    now = world.now();
  }

  @Test
  void noEstimateBeforeEnoughStartsAreKnown() {
    started(LearnedWaits.FEWEST - 1, HOUR);
    Job job = foreseen(HOUR);

    assertThat(waits.expected(now, 1)).isEmpty();

    started(1, HOUR);
    assertThat(waits.expected(now, 1)).containsOnlyKeys(job.id());
  }

  /** Fails when starts count that have lost their weight, so that one new start decides. */
  @Test
  void fewStartsAfterALongPauseGiveNoEstimate() {
    started(LearnedWaits.FEWEST, HOUR);
    now = now.plus(LearnedRuntimes.HALF_LIFE.multipliedBy(6));
    started(1, HOUR.multipliedBy(50));
    Job job = foreseen(HOUR);

    assertThat(waits.expected(now, 1)).isEmpty();
    assertThat(waits.expected(job, now, now.plus(HOUR), 1)).isNull();

    started(LearnedWaits.FEWEST / 2, HOUR);
    assertThat(waits.expected(now, 1)).containsOnlyKeys(job.id());
  }

  /** Fails when the level counts starts by weights that grow with time. */
  @Test
  void groupWithOneRecentStartIsNotUsedForEstimates() {
    started(100, HOUR);
    now = now.plus(LearnedRuntimes.HALF_LIFE.multipliedBy(3));
    Project small = world.newProject("small");
    Job first = job(small);
    waits.foreseen(first, now.minus(HOUR), now);
    waits.started(first.id(), now);
    Job next = job(small);
    waits.foreseen(next, now, now.plus(HOUR));

    assertThat(waits.expected(now, 1).get(next.id()).level()).isNotEqualTo(RunGroup.Level.PROJECT);
  }

  /** Fails when the first jobs of one project leave no capacity for jobs of other projects. */
  @Test
  void noProjectFillsTheWholeSample() {
    for (int i = 0; i < LearnedWaits.MOST; i++) {
      foreseen(HOUR);
    }
    Job crowd = foreseen(HOUR);
    Job other = job(world.newProject("other"));
    waits.foreseen(other, now, now.plus(HOUR));

    assertThat(waits.knows(other.id())).isTrue();
    assertThat(waits.knows(crowd.id())).isFalse();
    assertThat(waits.waiting()).hasSize(LearnedWaits.MOST);
  }

  @Test
  void estimatesAreDoubledAfterWaitsOfTwiceTheEstimate() {
    started(200, HOUR.multipliedBy(2));
    Job job = foreseen(HOUR.multipliedBy(10));

    ExpectedStart start = waits.expected(now, 7).get(job.id());

    assertThat(Duration.between(now, start.p50()))
        .isBetween(HOUR.multipliedBy(17), HOUR.multipliedBy(23));
    assertThat(start.p90()).isAfterOrEqualTo(start.p50());
    assertThat(start.runs()).isEqualTo(7);
    assertThat(start.starts()).isEqualTo(200);
    assertThat(start.level()).isEqualTo(RunGroup.Level.PROJECT);
  }

  /** Fails when a planned job is recorded, or gets a different estimate than a waiting one. */
  @Test
  void unsubmittedJobGetsTheSameEstimate() {
    started(200, HOUR.multipliedBy(2));
    Job asked = world.submit(Specs.job("asked"));

    ExpectedStart start = waits.expected(asked, now, now.plus(HOUR.multipliedBy(10)), 7);

    assertThat(waits.knows(asked.id())).isFalse();
    waits.foreseen(asked, now, now.plus(HOUR.multipliedBy(10)));
    ExpectedStart noted = waits.expected(now, 7).get(asked.id());
    assertThat(Duration.between(start.p50(), noted.p50()).abs()).isLessThan(HOUR);
    assertThat(start.starts()).isEqualTo(200);
  }

  /** Fails when only jobs that have started are learned from. */
  @Test
  void ongoingJamRaisesEstimates() {
    started(50, HOUR);
    Job calm = foreseen(HOUR);
    Instant before = waits.expected(now, 1).get(calm.id()).p90();
    for (int i = 0; i < 50; i++) {
      foreseen(MINUTE);
    }
    Duration passed = HOUR.multipliedBy(10);
    now = now.plus(passed);
    Job late = foreseen(HOUR);

    Instant after = waits.expected(now, 1).get(late.id()).p90();

    assertThat(after).isAfter(before.plus(passed).plus(HOUR.multipliedBy(5)));
  }

  @Test
  void stillWaitingJobIsExpectedLater() {
    started(100, HOUR);
    Job job = foreseen(HOUR);
    now = now.plus(HOUR.multipliedBy(3));

    ExpectedStart start = waits.expected(now, 1).get(job.id());

    assertThat(start.p50()).isAfter(now);
  }

  /** Fails when a blocked long queue gives a time that the database refuses. */
  @Test
  void distantStartIsCappedAtTenYears() {
    started(50, HOUR);
    for (int i = 0; i < 50; i++) {
      foreseen(MINUTE);
    }
    now = now.plus(Duration.ofDays(20));
    Job last = foreseen(Duration.ofDays(365));

    ExpectedStart start = waits.expected(now, 1).get(last.id());

    assertThat(start.p50()).isBeforeOrEqualTo(start.p90());
    assertThat(start.p90()).isEqualTo(now.plus(LearnedWaits.LONGEST));
  }

  @Test
  void jobsNoLongerWaitingAreForgotten() {
    started(30, HOUR);
    Job job = foreseen(HOUR);

    waits.keep(id -> false);

    assertThat(waits.knows(job.id())).isFalse();
    assertThat(waits.expected(now, 1)).isEmpty();
  }

  /** Fails when any live attempt of an array ends the wait of its next element. */
  @Test
  void elementStartedDuringTheWaitEndsNoWait() {
    Job job = foreseen(HOUR);

    waits.started(job.id(), now.minus(MINUTE));

    assertThat(waits.knows(job.id())).isTrue();
  }

  private void started(int jobs, Duration waited) {
    for (int i = 0; i < jobs; i++) {
      Job job = world.newJob(Specs.job(world.uniqueName("earlier")).build());
      waits.foreseen(job, now.minus(waited), now.minus(waited).plus(HOUR));
      waits.started(job.id(), now);
    }
  }

  private Job job(Project project) {
    return world.newJob(Specs.job(world.uniqueName("other")).build(), project, world.queue());
  }

  private Job foreseen(Duration wait) {
    Job job = world.newJob(Specs.job(world.uniqueName("waits")).build());
    waits.foreseen(job, now, now.plus(wait));
    return job;
  }
}

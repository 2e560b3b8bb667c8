package dev.fairlead.work.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.ActiveJobs.ActiveJob;
import dev.fairlead.work.job.store.ActiveJobs.NamedRun;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.ActiveWork.Reads;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Data of waiting jobs that is reused from one snapshot to the next. */
class ActiveWorkTest {
  private static final Instant NOW = Instant.parse("2026-03-02T10:00:00Z");

  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));
  private final List<JobId> asked = new ArrayList<>();
  private final List<JobElement> elements = new ArrayList<>();

  /** Fails when one new job makes a cycle recompute the data of every job. */
  @Test
  void resultsForAnUnchangedJobAreReused() {
    ActiveJob first = active(world.submit(Specs.job("first")));
    ActiveJob last = active(world.submit(Specs.job("last")));
    ActiveWork before = ActiveWork.NONE.at(List.of(first, last), NOW, reads(List.of(), Map.of()));
    ActiveJob came = active(world.submit(Specs.job("came")));

    ActiveWork after =
        before.at(List.of(first, last, came), NOW.plusSeconds(1), reads(List.of(), Map.of()));

    assertThat(after.pending()).hasSize(3);
    assertThat(after.pending().getFirst()).isSameAs(before.pending().getFirst());
    assertThat(after.pending().get(1)).isSameAs(before.pending().get(1));
  }

  /**
   * Fails when jobs that left the queue, or were inserted between two others, make cached results
   * miss the others.
   */
  @Test
  void leavingJobsRemoveNothingElse() {
    ActiveJob first = active(world.submit(Specs.job("first")));
    ActiveJob second = active(world.submit(Specs.job("second")));
    ActiveJob third = active(world.submit(Specs.job("third")));
    ActiveWork before = ActiveWork.NONE.at(List.of(first, third), NOW, reads(List.of(), Map.of()));

    ActiveWork after =
        before.at(List.of(second, third), NOW.plusSeconds(1), reads(List.of(), Map.of()));

    assertThat(after.pending().stream().map(PendingJob::job))
        .containsExactly(second.job(), third.job());
    assertThat(after.pending().getLast()).isSameAs(before.pending().getLast());
  }

  /** Fails when a job that waits for another retains outdated data about it. */
  @Test
  void dependentJobFollowsItsDependency() {
    Job needed = world.submit(Specs.job("needed"));
    ActiveJob waits =
        active(world.submit(Specs.job("waits").dependsOn(needed, Dependency.Condition.SUCCEEDED)));
    NamedRun run = new NamedRun(needed.id(), needed.tenant(), "needed", needed.run());
    ActiveWork before = ActiveWork.NONE.at(List.of(waits), NOW, reads(List.of(run), Map.of()));

    ActiveWork after = before.at(List.of(waits), NOW.plusSeconds(1), reads(List.of(), Map.of()));

    assertThat(before.pending().getFirst().unmet()).containsExactly("needed");
    assertThat(after.pending().getFirst().deadDependency())
        .isEqualTo(new PendingJob.FailedDependency(needed.id().text(), null));
  }

  /** Fails when an expired element is placed instead of the retried one. */
  @Test
  void retriedElementIsOfferedAndAnExpiredElementIsNot() {
    Job job = world.submit(Specs.job("array").array("0-9").retry(2, FailureCause.NODE_FAILURE));
    Attempt first = world.run(world.place(job, 3, "node-1"));
    Job before = world.job(job);
    ArrayProgress expired = Objects.requireNonNull(before.array()).failQueued();
    ArrayProgress again = expired.moved(JobState.RUNNING, JobState.QUEUED);
    world.fail(first, FailureCause.NODE_FAILURE);
    Job now = world.job(job);
    ActiveJob active =
        new ActiveJob(now.next(now.run(), again), List.of(), List.of(world.element(job, 3)));

    List<PendingJob> pending =
        ActiveWork.NONE.at(List.of(active), NOW, reads(List.of(), Map.of())).pending();

    assertThat(pending.getFirst().offers()).extracting(PendingJob.Offer::index).containsExactly(3);
  }

  /**
   * Fails when a job starts without a value, or names are read again or for jobs that do not need
   * them.
   */
  @Test
  void namesOfReferencedOutputsAreReadOnceAfterTheEnd() {
    Job needed = world.submit(Specs.job("needed").outputs("model", "rows"));
    Job plain = world.submit(Specs.job("plain").dependsOn(needed, Dependency.Condition.SUCCEEDED));
    Job reader =
        world.submit(
            Specs.job("reader")
                .dependsOn(needed, Dependency.Condition.SUCCEEDED)
                .env("MODEL", "${outputs.needed.model}"));
    Job other =
        world.submit(
            Specs.job("other")
                .dependsOn(needed, Dependency.Condition.SUCCEEDED)
                .env("ROWS", "${outputs.needed.rows}"));
    List<ActiveJob> waiting =
        List.of(active(plain), active(reader.seenAs(reader.spec().decided())), active(other));
    asked.clear();
    ActiveWork before = ActiveWork.NONE.at(waiting, NOW, reads(List.of(run(needed)), Map.of()));
    assertThat(asked).isEmpty();
    world.succeed(world.run(world.place(needed)));
    Reads after = reads(List.of(run(world.job(needed))), Map.of(needed.id(), Set.of("rows")));
    ActiveWork ended = before.at(waiting, NOW.plusSeconds(1), after);
    ActiveWork again = ended.at(waiting.subList(0, 2), NOW.plusSeconds(2), after);

    assertThat(asked).containsExactly(needed.id());
    for (ActiveWork each : List.of(ended, again)) {
      assertThat(each.pending().getFirst().deadDependency()).isNull();
      assertThat(each.pending().get(1).deadDependency().cause())
          .isEqualTo(FailureCause.OUTPUT_MISSING);
    }
    assertThat(ended.pending().getLast().deadDependency()).isNull();
  }

  /** Fails when a job for a failure fails before, or although, the failure did not happen. */
  @Test
  void missingOutputEndsNoJobThatMayNotBeNeeded() {
    Job prep = world.submit(Specs.job("prep").outputs("model"));
    Job train = world.submit(Specs.job("train"));
    Job alarm =
        world.submit(
            Specs.job("alarm")
                .dependsOn(prep, Dependency.Condition.SUCCEEDED)
                .dependsOn(train, Dependency.Condition.FAILED)
                .env("MODEL", "${outputs.prep.model}"));
    world.succeed(world.run(world.place(prep)));
    List<ActiveJob> waiting = List.of(active(alarm));
    Reads before = reads(List.of(run(world.job(prep)), run(world.job(train))), Map.of());
    assertThat(ActiveWork.NONE.at(waiting, NOW, before).pending().getFirst().deadDependency())
        .isNull();

    world.succeed(world.run(world.place(train)));
    Reads after = reads(List.of(run(world.job(prep)), run(world.job(train))), Map.of());
    assertThat(ActiveWork.NONE.at(waiting, NOW, after).pending().getFirst().deadDependency())
        .isEqualTo(new PendingJob.FailedDependency("train", JobState.SUCCEEDED, true));
  }

  /** Fails when each view reads the elements of arrays that ended, or of arrays that run. */
  @Test
  void elementsOfAnArrayAreReadOnceAfterItsEnd() {
    Job needed = world.submit(Specs.job("needed").array("0-1"));
    Job waits =
        world.submit(
            Specs.job("waits")
                .array("0-1")
                .dependsOnElements(needed, Dependency.Condition.SUCCEEDED));
    asked.clear();
    ActiveWork before =
        ActiveWork.NONE.at(
            List.of(active(needed), active(waits)), NOW, reads(List.of(run(needed)), Map.of()));
    assertThat(before.pending().getLast().unmet()).hasSize(1);
    assertThat(asked).isEmpty();

    world.succeed(world.run(world.place(needed, 0, "node-1")));
    world.succeed(world.run(world.place(needed, 1, "node-1")));
    elements.add(world.element(needed, 0));
    elements.add(world.element(needed, 1));
    Reads after = reads(List.of(run(world.job(needed))), Map.of());
    ActiveWork ended = before.at(List.of(active(waits)), NOW.plusSeconds(1), after);
    ActiveWork again =
        ended.at(
            List.of(active(waits), active(world.submit(Specs.job("other")))),
            NOW.plusSeconds(2),
            after);

    assertThat(asked).containsExactly(needed.id());
    for (ActiveWork each : List.of(ended, again)) {
      assertThat(each.pending().getFirst().offers())
          .extracting(PendingJob.Offer::index)
          .containsExactly(0, 1);
    }
  }

  /** Fails when a job in back-off waits until the clock has caught up. */
  @Test
  void aBackOffEndsWhenTheClockIsSetBack() {
    Attempt failed = world.run(world.place(world.submit(Specs.job("again"))));
    ActiveJob job = active(world.jobOf(world.fail(failed, FailureCause.NODE_FAILURE)));
    Instant now = world.now();
    ActiveWork before = ActiveWork.NONE.at(List.of(job), now, reads(List.of(), Map.of()));
    assertThat(before.pending().getFirst().offers().getFirst().retryAt()).isAfter(now);

    ActiveWork after =
        before.at(List.of(job), now.minusSeconds(10_800), reads(List.of(), Map.of()));

    assertThat(after.pending().getFirst().offers().getFirst().retryAt()).isNull();
  }

  private static NamedRun run(Job job) {
    return new NamedRun(job.id(), job.tenant(), job.name(), job.run());
  }

  private Reads reads(List<NamedRun> runs, Map<JobId, Set<String>> names) {
    return new Reads() {
      @Override
      public List<NamedRun> runs(Collection<JobId> ids) {
        return runs;
      }

      @Override
      public SortedMap<JobId, SortedSet<String>> outputs(Collection<JobId> ids) {
        asked.addAll(ids);
        SortedMap<JobId, SortedSet<String>> found = new TreeMap<>();
        names.forEach((job, of) -> found.put(job, new TreeSet<>(of)));
        return found;
      }

      @Override
      public List<JobElement> elements(Collection<JobId> ids) {
        asked.addAll(ids);
        return elements;
      }
    };
  }

  private static ActiveJob active(Job job) {
    return new ActiveJob(job, List.of(), List.of());
  }
}

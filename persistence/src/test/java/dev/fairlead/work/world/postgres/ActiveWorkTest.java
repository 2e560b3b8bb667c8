package dev.fairlead.work.world.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.ActiveJobs.ActiveJob;
import dev.fairlead.work.job.ActiveJobs.NamedRun;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is kept of the waiting jobs from one view of the database to the next. */
class ActiveWorkTest {
  private static final Instant NOW = Instant.parse("2026-03-02T10:00:00Z");

  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));

  /** Fails when a cycle makes what follows from every job again, for one job that came. */
  @Test
  void whatFollowsFromAJobThatDidNotChangeIsKept() {
    ActiveJob first = active(world.submit(Specs.job("first")));
    ActiveJob last = active(world.submit(Specs.job("last")));
    ActiveWork before = ActiveWork.NONE.at(List.of(first, last), NOW, _ -> List.of());
    ActiveJob came = active(world.submit(Specs.job("came")));

    ActiveWork after = before.at(List.of(first, last, came), NOW.plusSeconds(1), _ -> List.of());

    assertThat(after.pending()).hasSize(3);
    assertThat(after.pending().getFirst()).isSameAs(before.pending().getFirst());
    assertThat(after.pending().get(1)).isSameAs(before.pending().get(1));
  }

  /** Fails when jobs that left, or came between two others, hide the others from what is kept. */
  @Test
  void jobsThatLeaveTakeNothingElseWithThem() {
    ActiveJob first = active(world.submit(Specs.job("first")));
    ActiveJob second = active(world.submit(Specs.job("second")));
    ActiveJob third = active(world.submit(Specs.job("third")));
    ActiveWork before = ActiveWork.NONE.at(List.of(first, third), NOW, _ -> List.of());

    ActiveWork after = before.at(List.of(second, third), NOW.plusSeconds(1), _ -> List.of());

    assertThat(after.pending().stream().map(PendingJob::job))
        .containsExactly(second.job(), third.job());
    assertThat(after.pending().getLast()).isSameAs(before.pending().getLast());
  }

  /** Fails when a job that waits for another keeps what it was told of it. */
  @Test
  void aJobThatDependsOnAnotherFollowsIt() {
    Job needed = world.submit(Specs.job("needed"));
    ActiveJob waits =
        active(world.submit(Specs.job("waits").dependsOn(needed, Dependency.Condition.SUCCEEDED)));
    NamedRun run = new NamedRun(needed.id(), needed.tenant(), "needed", needed.run());
    ActiveWork before = ActiveWork.NONE.at(List.of(waits), NOW, _ -> List.of(run));

    ActiveWork after = before.at(List.of(waits), NOW.plusSeconds(1), _ -> List.of());

    assertThat(before.pending().getFirst().unmet()).containsExactly("needed");
    assertThat(after.pending().getFirst().deadDependency())
        .isEqualTo(new PendingJob.FailedDependency(needed.id().text(), null));
  }

  /** Fails when an element that expired is placed in the place of the one that is tried again. */
  @Test
  void anElementThatIsTriedAgainIsOfferedAndNoneThatExpired() {
    Job job = world.submit(Specs.job("array").array("0-9").retry(2, FailureCause.NODE_FAILURE));
    Attempt first = world.run(world.place(job, 3, "node-1"));
    Job before = world.job(job);
    ArrayProgress expired = Objects.requireNonNull(before.array()).failQueued();
    ArrayProgress again = expired.moved(JobState.RUNNING, JobState.QUEUED);
    world.fail(first, FailureCause.NODE_FAILURE);
    Job now = world.job(job);
    ActiveJob active =
        new ActiveJob(now.next(now.run(), again), List.of(), List.of(world.element(job, 3)));

    List<PendingJob> pending = ActiveWork.NONE.at(List.of(active), NOW, _ -> List.of()).pending();

    assertThat(pending.getFirst().offers()).extracting(PendingJob.Offer::index).containsExactly(3);
  }

  private static ActiveJob active(Job job) {
    return new ActiveJob(job, List.of(), List.of());
  }
}

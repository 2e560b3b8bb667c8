package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.spec.JobSpec.OnDependencyFailure;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs that depend on a job that fails. */
class FailedDependencyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  /** Fails when Cycle leaves jobs with a dead dependency in their queue. */
  @Test
  void dependencyFailureEndsItsChainAndAJobConfiguredToWaitStays() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    Job first =
        fairlead.submit(
            Specs.job("first")
                .gpus(1)
                .annotation("sim.fairlead.dev/run-for", "5s")
                .annotation("sim.fairlead.dev/outcome", "fail"));
    Job second = fairlead.submit(Specs.job("second").dependsOn(first, Condition.SUCCEEDED));
    Job third = fairlead.submit(Specs.job("third").dependsOn(second, Condition.STARTED));
    Job cleanup = fairlead.submit(Specs.job("cleanup").dependsOn(third, Condition.ENDED));
    Job patient =
        fairlead.submit(
            Specs.job("patient")
                .dependsOn(first, Condition.SUCCEEDED)
                .onDependencyFailure(OnDependencyFailure.WAIT));

    fairlead.pass(Duration.ofMinutes(2));

    assertThat(fairlead.job(first).state()).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(second).state()).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(third).state()).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(third).run().failure().cause())
        .isEqualTo(FailureCause.DEPENDENCY_FAILED);
    assertThat(fairlead.job(third).run().failure().message())
        .satisfies(reason("failed-dependency.depends-job-second-ended", "second", "FAILED"));
    assertThat(fairlead.job(cleanup).run().startedAt()).isNotNull();
    assertThat(fairlead.job(patient).state()).isEqualTo(JobState.QUEUED);
  }

  /** Fails when a handler of failures runs after a success, or counts as failed itself. */
  @Test
  void aHandlerOfAFailureRunsAfterItAndIsSkippedAfterASuccess() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    Job good =
        fairlead.submit(Specs.job("good").gpus(1).annotation("sim.fairlead.dev/run-for", "5s"));
    Job bad =
        fairlead.submit(
            Specs.job("bad")
                .gpus(1)
                .annotation("sim.fairlead.dev/run-for", "5s")
                .annotation("sim.fairlead.dev/outcome", "fail"));
    Job handler = fairlead.submit(Specs.job("handler").dependsOn(bad, Condition.FAILED));
    Job idle = fairlead.submit(Specs.job("idle").dependsOn(good, Condition.FAILED));
    Job behind = fairlead.submit(Specs.job("behind").dependsOn(idle, Condition.SUCCEEDED));
    Job after = fairlead.submit(Specs.job("after").dependsOn(idle, Condition.ENDED));
    Job patient =
        fairlead.submit(
            Specs.job("patient")
                .dependsOn(good, Condition.FAILED)
                .onDependencyFailure(OnDependencyFailure.WAIT));

    fairlead.pass(Duration.ofMinutes(2));

    assertThat(fairlead.job(handler).run().startedAt()).isNotNull();
    for (Job job : List.of(idle, behind)) {
      assertThat(fairlead.job(job).state()).isEqualTo(JobState.CANCELLED);
      assertThat(fairlead.job(job).run().failure().cause()).isEqualTo(FailureCause.SKIPPED);
    }
    assertThat(fairlead.job(after).run().startedAt()).isNotNull();
    assertThat(fairlead.job(patient).state()).isEqualTo(JobState.QUEUED);
  }

  /** Fails when an element waits for a different element than its own, or forever. */
  @Test
  void elementStartsAfterTheElementOfItsIndexAndEndsWithIt() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    Job prep =
        fairlead.submit(
            Specs.job("prep")
                .array("0-3%1")
                .gpus(1)
                .retry(1)
                .annotation("sim.fairlead.dev/run-for", "30s")
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/elements", "1"));
    Job train =
        fairlead.submit(
            Specs.job("train")
                .array("0-3%1")
                .annotation("sim.fairlead.dev/run-for", "5s")
                .dependsOnElements(prep, Condition.SUCCEEDED));
    Job handler =
        fairlead.submit(
            Specs.job("handler")
                .array("0-3")
                .annotation("sim.fairlead.dev/run-for", "5s")
                .dependsOnElements(prep, Condition.FAILED));
    Job gather = fairlead.submit(Specs.job("gather").dependsOn(train, Condition.ENDED));

    fairlead.pass(Duration.ofSeconds(50));
    assertThat(fairlead.job(prep).run().ended()).isFalse();
    assertThat(states(train)).containsExactly(JobState.SUCCEEDED);

    fairlead.pass(Duration.ofMinutes(4));
    assertThat(states(train))
        .containsExactly(
            JobState.SUCCEEDED, JobState.FAILED, JobState.SUCCEEDED, JobState.SUCCEEDED);
    assertThat(fairlead.job(train).run().failure().cause())
        .isEqualTo(FailureCause.DEPENDENCY_FAILED);
    assertThat(states(handler))
        .containsExactly(
            JobState.CANCELLED, JobState.SUCCEEDED, JobState.CANCELLED, JobState.CANCELLED);
    assertThat(fairlead.job(gather).run().startedAt()).isNotNull();
  }

  private List<JobState> states(Job job) {
    return fairlead.stores().jobs().elements(job.id(), 0, 10).stream()
        .map(element -> element.run().state())
        .toList();
  }

  /** Fails when a submit searches only active jobs. */
  @Test
  void jobSubmittedAfterItsDependencyFailedEndsWithTheSameCause() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    Job first = fairlead.submit(Specs.job("first").gpus(1));
    fairlead.commands().cancel(fairlead.ana(), first.id());
    fairlead.pass(Duration.ofSeconds(30));

    Job late = fairlead.submit(Specs.job("late").dependsOn(first, Condition.SUCCEEDED));
    fairlead.pass(Duration.ofSeconds(30));

    assertThat(fairlead.job(late).state()).isEqualTo(JobState.FAILED);
    assertThat(fairlead.job(late).run().failure().cause())
        .isEqualTo(FailureCause.DEPENDENCY_FAILED);
  }
}

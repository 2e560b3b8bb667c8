package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobCheck;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobControl;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job of a queue with an admission check, from its submit to its end. */
class AdmissionCheckJourneyTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final JobControl control = FairleadSubmits.control(fairlead);

  @BeforeEach
  void aQueueWithACheck() {
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    for (QuotaNode node : fairlead.stores().quotas().nodes(fairlead.ana().tenant())) {
      if (node.queue() != null) {
        fairlead.stores().quotas().update(node.changed(node.queue().withChecks(List.of("budget"))));
      }
    }
  }

  private JobCheck check(Job job) {
    return fairlead.job(job).checks().getFirst();
  }

  private Job report(Job job, JobCheck.State state, long request) {
    return control.report(
        new JobControl.Order(fairlead.ana(), job.id(), null, false),
        new CheckTransitions.Report("budget", state, request, "by finance", MINUTE));
  }

  private Blocker why(Job job) {
    return fairlead
        .stores()
        .explanations()
        .of(job.id())
        .orElseThrow()
        .explanation()
        .blockers()
        .getFirst();
  }

  /** Fails when the job starts before the report, or holds quota until then. */
  @Test
  void jobStartsAfterItsCheckReportsAndHoldsNothingBefore() {
    Job job = fairlead.submit(Specs.job("checked").gpus(8));
    fairlead.pass(Duration.ofMinutes(5));

    assertThat(fairlead.state(job)).isEqualTo(JobState.QUEUED);
    assertThat(why(job).reason()).isEqualTo(Reason.ADMISSION_CHECK);
    assertThat(why(job).message())
        .satisfies(
            reason(
                "admission-check-journey.admission-check-budget-pending",
                "budget",
                "2030-01-01T00:00:01Z"));
    assertThat(fairlead.stores().quotas().uses(fairlead.ana().tenant())).isEmpty();

    Job _ = report(job, JobCheck.State.READY, check(job).request());
    fairlead.until(job, JobState.SUCCEEDED);
  }

  /** Fails when a second attempt starts with the result of the first. */
  @Test
  void eachAttemptIsCheckedAgain() {
    Job job =
        fairlead.submit(
            Specs.job("retried")
                .gpus(1)
                .retry(3, FailureCause.USER_ERROR)
                .annotation("sim.fairlead.dev/run-for", "5s")
                .annotation("sim.fairlead.dev/outcome", "fail"));
    fairlead.pass(Duration.ofSeconds(2));
    long first = check(job).request();
    Job _ = report(job, JobCheck.State.READY, first);
    fairlead.pass(Duration.ofMinutes(10));

    assertThat(fairlead.attempts(job)).hasSize(1);
    assertThat(fairlead.state(job)).isEqualTo(JobState.QUEUED);
    assertThat(check(job).attempt()).isEqualTo(2);
    assertThatThrownBy(() -> report(job, JobCheck.State.READY, first))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused -> assertThat(refused.code()).isEqualTo(ProblemCode.ILLEGAL_STATE));
  }

  /** Fails when a RETRY starts the job, is never requested again, or is requested immediately. */
  @Test
  void aRetryIsRequestedAgainAfterItsDelay() {
    Job job = fairlead.submit(Specs.job("later").gpus(1));
    fairlead.pass(Duration.ofSeconds(2));
    long first = check(job).request();
    Job _ = report(job, JobCheck.State.RETRY, first);

    fairlead.pass(Duration.ofSeconds(50));
    assertThat(check(job).state()).isEqualTo(JobCheck.State.RETRY);
    assertThat(why(job).message()).contains("is requested again at").endsWith("by finance");

    fairlead.pass(Duration.ofSeconds(20));
    assertThat(check(job).state()).isEqualTo(JobCheck.State.PENDING);
    assertThat(check(job).request()).isGreaterThan(first);
    assertThat(fairlead.attempts(job)).isEmpty();
  }

  @Test
  void aRejectedJobFailsWithItsCause() {
    Job job = fairlead.submit(Specs.job("refused").gpus(1));
    fairlead.pass(Duration.ofSeconds(2));
    long request = check(job).request();

    Job _ = report(job, JobCheck.State.REJECTED, request);
    Job again = report(job, JobCheck.State.REJECTED, request);

    assertThat(again.state()).isEqualTo(JobState.FAILED);
    assertThat(again.run().failure().cause()).isEqualTo(FailureCause.CHECK_REJECTED);
  }

  /** Fails when a patch leaves the result of the old spec, so that the new one starts unchecked. */
  @Test
  void aPatchedJobIsCheckedAgain() {
    Job blocker =
        fairlead.submit(Specs.job("blocker").gpus(8).annotation("sim.fairlead.dev/run-for", "10m"));
    fairlead.pass(Duration.ofSeconds(2));
    Job _ = report(blocker, JobCheck.State.READY, check(blocker).request());
    fairlead.until(blocker, JobState.RUNNING);
    Specs specs = Specs.job("patched").gpus(8);
    Job job = fairlead.submit(specs);
    fairlead.pass(Duration.ofSeconds(2));
    Job _ = report(job, JobCheck.State.READY, check(job).request());

    Job _ =
        control.patch(
            new JobControl.Order(fairlead.ana(), job.id(), null, false),
            null,
            (now, live) -> specs.maxRuntime(Duration.ofHours(9)).build(),
            List.of("maxRuntime"));
    fairlead.pass(Duration.ofMinutes(12));

    assertThat(fairlead.state(blocker)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).isEmpty();
    assertThat(check(job).state()).isEqualTo(JobCheck.State.PENDING);
  }
}

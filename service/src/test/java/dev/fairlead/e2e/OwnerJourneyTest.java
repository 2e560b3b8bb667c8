package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobBulk;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.service.query.DecisionSpan;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that their owner suspends, resumes, requeues, changes, and cancels in bulk. */
class OwnerJourneyTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(3);
  private final JobWriter writer =
      new JobWriter(fairlead.stores().jobs(), fairlead.stores().explanations(), t -> {});
  private final Idempotency idempotency = new Idempotency(fairlead.stores().idempotency());
  private final JobControl control = FairleadSubmits.control(fairlead);
  private final JobBulk bulk =
      new JobBulk(
          fairlead.stores().transactions(),
          fairlead.stores().jobs(),
          writer,
          idempotency,
          fairlead.stores().audit());

  @BeforeEach
  void aCluster() {
    fairlead.register("eu-1", new FleetPool(4, 8, "H100", 1, 1));
  }

  private static Specs job(String name) {
    return Specs.job(name).gpus(8).annotation("sim.fairlead.dev/run-for", "20s");
  }

  private JobControl.Order order(Job job) {
    return order(job, null);
  }

  private JobControl.Order order(Job job, @Nullable String key) {
    RequestKey request = key == null ? null : new RequestKey(key, "hash");
    return new JobControl.Order(fairlead.ana(), job.id(), request, false);
  }

  private long used() {
    return fairlead.stores().quotas().uses(fairlead.ana().tenant()).stream()
        .mapToLong(QuotaUse::used)
        .sum();
  }

  @Test
  void suspendedJobReleasesItsNodesOnceDeadAndWaitsForItsResume() {
    Job job = fairlead.submit(job("held").workers(2));
    fairlead.until(job, JobState.RUNNING);

    assertThat(control.suspend(order(job)).state()).isEqualTo(JobState.SUSPENDED);
    assertThat(used()).isPositive();
    fairlead.pass(Duration.ofMinutes(3));
    assertThat(fairlead.attempts(job))
        .extracting(Attempt::state)
        .containsExactly(AttemptState.CANCELLED);
    assertThat(fairlead.state(job)).isEqualTo(JobState.SUSPENDED);
    assertThat(used()).isZero();
    Instant held = fairlead.stores().clock().instant();
    assertThat(decidedAt(job, held)).as("placed no more").isEmpty();

    control.resume(order(job));
    Job done = fairlead.until(job, JobState.SUCCEEDED);
    assertThat(done.run().attempts()).isEqualTo(2);
    assertThat(done.run().failures()).isZero();
    assertThat(decidedAt(job, held)).as("nor seen from later").isEmpty();
  }

  private List<DecisionSpan> decidedAt(Job job, Instant time) {
    return fairlead.queries().decisions(fairlead.ana(), job.id(), null, time);
  }

  @Test
  void jobResumedWhileStoppingRestartsOnlyWhenItsOldAttemptIsDead() {
    // Fails when suspend leaves the stop order to the supervisor: after an immediate resume the old
    // attempt would never stop, and the job would never be placed again.
    Job job = fairlead.submit(job("quick"));
    fairlead.until(job, JobState.RUNNING);
    control.suspend(order(job));
    assertThat(control.resume(order(job)).state()).isEqualTo(JobState.QUEUED);
    assertThat(fairlead.stores().jobs().liveAttempts(job.id())).hasSize(1);

    fairlead.until(job, JobState.SUCCEEDED);
    List<Attempt> attempts = fairlead.attempts(job);
    assertThat(attempts)
        .extracting(Attempt::state)
        .containsExactly(AttemptState.CANCELLED, AttemptState.SUCCEEDED);
    assertThat(attempts.get(1).createdAt()).isAfterOrEqualTo(attempts.get(0).endedAt());
  }

  @Test
  void requeuedJobRestartsWithoutSpendingARetry() {
    Job job = fairlead.submit(job("again").retry(1));
    fairlead.until(job, JobState.RUNNING);

    control.requeue(order(job));

    Job done = fairlead.until(job, JobState.SUCCEEDED);
    assertThat(done.run().attempts()).isEqualTo(2);
    assertThat(done.run().failures()).isZero();
  }

  @Test
  void requeueEndsABackOff() {
    Job job =
        fairlead.submit(
            job("backs-off")
                .retry(3, FailureCause.USER_ERROR)
                .annotation("sim.fairlead.dev/outcome", "fail")
                .annotation("sim.fairlead.dev/after", "1s"));
    fairlead.until(job, JobState.RUNNING);
    Job waiting = fairlead.until(job, JobState.QUEUED);
    assertThat(waiting.run().retryAt()).isNotNull();

    assertThat(control.requeue(order(job)).run().retryAt()).isNull();
    assertThatThrownBy(() -> control.requeue(order(job)))
        .satisfies(problem("owner-journey.waits-place-already"));
  }

  @Test
  void elementsOfASuspendedArrayWaitAgainAndAllOfThemSucceedInTheEnd() {
    Job job = fairlead.submit(job("sweep").array("0-5%3"));
    fairlead.until(job, JobState.RUNNING);

    control.suspend(order(job));
    fairlead.pass(Duration.ofMinutes(3));
    Job held = fairlead.job(job);
    assertThat(held.state()).isEqualTo(JobState.SUSPENDED);
    assertThat(held.array().live()).isZero();
    assertThat(held.array().failed()).isZero();
    assertThat(used()).isZero();

    control.resume(order(job));
    Job done = fairlead.until(job, JobState.SUCCEEDED);
    assertThat(done.array().succeeded()).isEqualTo(6);
  }

  @Test
  void forbiddenTransitionIsRejectedWithAMessageAndChangesNothing() {
    Job job = fairlead.submit(job("waits"));
    assertThatThrownBy(() -> control.resume(order(job)))
        .hasMessageContaining("it is not suspended");
    fairlead.until(job, JobState.SUCCEEDED);
    assertThatThrownBy(() -> control.suspend(order(job)))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.ILLEGAL_STATE))
        .hasMessageContaining("it has ended as SUCCEEDED");
  }

  @Test
  void repeatedKeyHasItsEffectOnce() {
    Job job = fairlead.submit(job("once"));
    control.suspend(order(job, "k1"));
    control.resume(order(job, "k2"));

    assertThat(control.suspend(order(job, "k1")).state()).isEqualTo(JobState.QUEUED);
  }

  @Test
  void bulkCancelRequiresTheExpectedCount() {
    for (int i = 0; i < 3; i++) {
      fairlead.submit(job("many-" + i).label("team", "nlp"));
    }
    Job other = fairlead.submit(job("other"));
    TreeMap<String, String> nlp = new TreeMap<>();
    nlp.put("team", "nlp");
    JobFilter filter =
        new JobFilter(
            fairlead.ana().tenant(),
            null,
            List.of(),
            List.of(),
            null,
            null,
            nlp,
            null,
            null,
            JobFilter.Order.NEWEST,
            null,
            2);

    assertThatThrownBy(() -> bulk.cancel(fairlead.ana(), filter, 2, null, false))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.numbers()).containsEntry("actual", 3L));
    Actor eve = new Actor(fairlead.ana().tenant(), "eve", Role.TENANT_MEMBER);
    assertThat(bulk.cancel(eve, filter, 0, null, false)).isZero();
    assertThatThrownBy(() -> bulk.cancel(eve, filter.of("ana"), 3, null, false))
        .isInstanceOfSatisfying(
            Refusal.class, r -> assertThat(r.code()).isEqualTo(ProblemCode.FORBIDDEN));
    assertThat(bulk.cancel(fairlead.ana(), filter, 3, null, true)).isEqualTo(3);
    assertThat(bulk.cancel(fairlead.ana(), filter, 3, null, false)).isEqualTo(3);
    assertThat(bulk.cancel(fairlead.ana(), filter, 0, null, false)).isZero();
    assertThat(fairlead.state(other)).isEqualTo(JobState.QUEUED);
  }

  /** Fails when a patch wakes no supervisor: the old limit, or no limit, applies for minutes. */
  @Test
  void loweredRuntimeOfARunningJobAppliesImmediately() {
    Specs longer = Specs.job("longer").gpus(8).annotation("sim.fairlead.dev/run-for", "10h");
    Job runtime = fairlead.until(fairlead.submit(longer), JobState.RUNNING);
    Specs other = Specs.job("other").gpus(8).annotation("sim.fairlead.dev/run-for", "10h");
    Job deadline = fairlead.until(fairlead.submit(other), JobState.RUNNING);
    fairlead.pass(Duration.ofSeconds(10));

    Instant soon = fairlead.stores().clock().instant().plusSeconds(3);
    patch(runtime, longer.maxRuntime(Duration.ofSeconds(5)), "maxRuntime");
    patch(deadline, other.deadline(soon), "deadline");
    fairlead.pass(Duration.ofSeconds(10));

    assertThat(List.of(fairlead.job(runtime), fairlead.job(deadline)))
        .allMatch(job -> job.state() == JobState.FAILED)
        .allMatch(job -> job.run().failure().cause() == FailureCause.DEADLINE_EXCEEDED);
  }

  /** Fails when labels wait for an unrelated start. */
  @Test
  void labelsOfAStartingJobChangeImmediatelyAndOtherFieldsLater() {
    Specs specs = Specs.job("starts").gpus(1);
    Job job = fairlead.submit(specs);
    fairlead.until(job, JobState.STARTING);
    patch(job, specs.label("team", "blue"), "labels");
    assertThat(fairlead.job(job).spec().labels()).containsEntry("team", "blue");
    assertThatThrownBy(() -> patch(job, specs.maxRuntime(Duration.ofHours(1)), "maxRuntime"))
        .isInstanceOfSatisfying(
            Refusal.class,
            refused -> assertThat(refused.numbers()).containsEntry("retryAfterSeconds", 2));
  }

  private void patch(Job job, Specs to, String field) {
    control.patch(order(job), null, (now, live) -> to.build(), List.of(field));
  }
}

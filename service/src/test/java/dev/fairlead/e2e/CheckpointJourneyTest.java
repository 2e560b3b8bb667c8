package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.CheckpointRequest.Outcome;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobControl;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.workload.service.attempt.AttemptAnswers;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that may save their work before they make room. */
class CheckpointJourneyTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String NOT_FOUND =
      "This credential does not belong to a live attempt with this id.";
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final SimulatedCluster eu = fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
  private final JobControl control = FairleadSubmits.control(fairlead);

  private final AttemptAnswers answers =
      new AttemptAnswers(
          fairlead.stores().transactions(),
          fairlead.stores().jobs(),
          new JobWriter(fairlead.stores().jobs(), fairlead.stores().explanations(), t -> {}),
          fairlead.stores().progress(),
          fairlead.stores().outputs(),
          new CheckpointLimit(Duration.ofHours(1)));

  @BeforeEach
  void queuesThatPreempt() {
    ServiceParts.letQueuesPreempt(fairlead);
  }

  private static Specs job(String name, PriorityClass priority) {
    return Specs.job(name).gpus(8).priority(priority).annotation("sim.fairlead.dev/run-for", "10m");
  }

  private Job victim(Specs spec) {
    return fairlead.until(fairlead.submit(spec.checkpointTimeout(TIMEOUT)), JobState.RUNNING);
  }

  private Attempt first(Job job) {
    return fairlead.attempts(job).getFirst();
  }

  private CheckpointRequest request(Job job) {
    return Objects.requireNonNull(first(job).checkpointRequest());
  }

  private boolean deleted(Job job) {
    return eu.workloadsSince(0).workloads().get(first(job).id()).members().values().stream()
        .anyMatch(m -> m.deleting());
  }

  private String file(Job job) {
    Attempt attempt = first(job);
    return eu.checkpointFile(attempt.id(), MemberKey.of(attempt.members().getFirst()));
  }

  private static double ended(InMemoryFairlead by, Outcome outcome) {
    return by.metrics()
        .get(Metric.CHECKPOINTS.meter())
        .tag("outcome", outcome.name())
        .counter()
        .count();
  }

  /**
   * Fails when the pod is deleted before its checkpoint, or another job gets its node before that.
   */
  @Test
  void victimThatCheckpointsAndExitsMakesRoomAndRestarts() {
    Job low =
        victim(
            job("low", PriorityClass.LOW).annotation("sim.fairlead.dev/checkpoint-after", "20s"));
    Job high = fairlead.submit(job("high", PriorityClass.HIGH));
    Job thief = fairlead.submit(job("thief", PriorityClass.LOW));
    fairlead.pass(Duration.ofSeconds(10));
    assertThat(first(low).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(file(low)).isEqualTo(request(low).until().toString());
    assertThat(deleted(low)).isFalse();

    fairlead.until(high, JobState.RUNNING);
    assertThat(first(low).state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(request(low).outcome()).isEqualTo(Outcome.EXITED);
    assertThat(first(low).endedAt()).isBefore(request(low).until());
    assertThat(ended(fairlead, Outcome.EXITED)).isEqualTo(1);
    assertThat(fairlead.attempts(thief)).isEmpty();
    assertThat(fairlead.state(low)).as("to run again").isEqualTo(JobState.QUEUED);
    assertThat(fairlead.job(low).run().failures()).isZero();
  }

  /** Fails when a program that ignores its file is awaited beyond its time. */
  @Test
  void victimThatIgnoresTheRequestIsStoppedAtTheDeadline() {
    Job low = victim(job("low", PriorityClass.LOW));
    Job high = fairlead.submit(job("high", PriorityClass.HIGH));
    fairlead.until(high, JobState.RUNNING);
    assertThat(request(low).outcome()).isEqualTo(Outcome.TIMED_OUT);
    assertThat(first(low).endedAt())
        .isBetween(request(low).until(), request(low).until().plus(Specs.RULES.gracePeriod()));
    assertThat(ended(fairlead, Outcome.TIMED_OUT)).isEqualTo(1);
  }

  /** Fails when only the sending process knows the request. */
  @Test
  void nextSupervisorRequestsTheCheckpointAndWaitsForTheRemainingTime() {
    Job low = victim(job("low", PriorityClass.LOW));
    Job high = fairlead.submit(job("high", PriorityClass.HIGH));
    while (first(low).state() == AttemptState.RUNNING) {
      fairlead.stores().clock().advance(Duration.ofMillis(100));
      fairlead.scheduler().tick();
    }
    Instant until = request(low).until();
    assertThat(file(low)).as("its supervisor died before").isEmpty();
    fairlead.shutDown();

    InMemoryFairlead next = fairlead.replica("two");
    next.pass(Duration.ofSeconds(30));
    assertThat(file(low)).isEqualTo(until.toString());
    assertThat(deleted(low)).isFalse();

    control.checkpoint(new JobControl.Order(fairlead.ana(), low.id(), null, false));
    next.until(high, JobState.RUNNING);
    assertThat(request(low).outcome()).isEqualTo(Outcome.ACKNOWLEDGED);
    assertThat(first(low).endedAt()).isBefore(until);
    assertThat(ended(next, Outcome.ACKNOWLEDGED)).isEqualTo(1);
  }

  /** Fails when an extension is not stored or not sent to the program, or no response ends it. */
  @Test
  void attemptRequestsMoreTimeAndReportsItsCheckpoint() {
    Job low = victim(job("low", PriorityClass.LOW));
    Job high = fairlead.submit(job("high", PriorityClass.HIGH));
    fairlead.pass(Duration.ofSeconds(5));
    Instant before = request(low).until();
    AttemptCredential own = credential(low);
    answers.extended(own, own.attempt().text(), Duration.ofMinutes(5));
    Instant longer = request(low).until();
    assertThat(longer).isAfter(before);

    fairlead.pass(TIMEOUT.plusSeconds(30));
    assertThat(file(low)).isEqualTo(longer.toString());
    assertThat(deleted(low)).isFalse();

    answers.saved(own, own.attempt().text(), "step 700");
    fairlead.until(high, JobState.RUNNING);
    assertThat(request(low).outcome()).isEqualTo(Outcome.ACKNOWLEDGED);
    assertThat(first(low).endedAt()).isBefore(longer);
    assertThatThrownBy(() -> answers.saved(own, own.attempt().text(), null))
        .as("it has died with its attempt")
        .isInstanceOf(Refusal.class)
        .hasMessage(NOT_FOUND);
  }

  /** Fails when a repeated request, or one for no more time, changes the job for its owner. */
  @Test
  void unchangedReportIsNotStored() {
    Job low = victim(job("low", PriorityClass.LOW));
    AttemptCredential own = credential(low);
    String text = own.attempt().text();
    answers.saved(own, text, "step 1");
    long saved = fairlead.job(low).version();
    assertThat(answers.saved(own, text, "step 2").checkpointedAt()).isNotNull();
    assertThat(fairlead.job(low).version()).as("said again at once").isEqualTo(saved);
    fairlead.pass(Duration.ofSeconds(30));
    answers.saved(own, text, "step 3");
    assertThat(fairlead.job(low).version()).as("said later").isGreaterThan(saved);

    fairlead.submit(job("high", PriorityClass.HIGH));
    fairlead.pass(Duration.ofSeconds(5));
    answers.extended(own, text, TIMEOUT);
    Instant until = request(low).until();
    long longer = fairlead.job(low).version();
    answers.extended(own, text, Duration.ofSeconds(1));
    assertThat(request(low).until()).isEqualTo(until);
    assertThat(fairlead.job(low).version()).as("no more time").isEqualTo(longer);
    answers.saved(own, text, "step 4");
    assertThat(fairlead.job(low).version()).as("the answer").isGreaterThan(longer);
  }

  /** Fails when a credential of one attempt reveals anything about another. */
  @Test
  void credentialReportsForNoOtherAttempt() {
    Job low = victim(job("low", PriorityClass.LOW));
    AttemptCredential own = credential(low);
    AttemptCredential none =
        new AttemptCredential(own.tenant(), own.job(), new AttemptId(new UUID(9, 9)));
    assertThatThrownBy(() -> answers.saved(none, own.attempt().text(), null))
        .as("of another attempt")
        .hasMessage(NOT_FOUND);
    assertThatThrownBy(() -> answers.saved(none, none.attempt().text(), null))
        .as("of none")
        .hasMessage(NOT_FOUND);
    assertThatThrownBy(() -> answers.extended(own, own.attempt().text(), TIMEOUT))
        .as("it was not asked")
        .satisfies(problem("checkpoint-journey.request-save-work"));
    assertThat(first(low).checkpointedAt()).isNull();
  }

  private AttemptCredential credential(Job job) {
    return new AttemptCredential(job.tenant(), job.id(), first(job).id());
  }

  /** Fails when a drain or a suspend skips the request, or a cancel waits. */
  @Test
  void drainsAndSuspendsRequestACheckpointAndCancelsDoNot() {
    Job job = victim(job("one", PriorityClass.LOW));
    control.suspend(new JobControl.Order(fairlead.ana(), job.id(), null, false));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(file(job)).isNotEmpty();
    assertThat(deleted(job)).isFalse();
    fairlead.commands().cancel(fairlead.ana(), job.id());
    fairlead.until(job, JobState.CANCELLED);
    assertThat(request(job).outcome()).isEqualTo(Outcome.CUT_SHORT);

    Job drained = victim(job("two", PriorityClass.LOW));
    String node = first(drained).members().getFirst().nodeName();
    fairlead.drains().drainNode(fairlead.operator(), node, null, false);
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(file(drained)).isNotEmpty();
    assertThat(deleted(drained)).isFalse();
  }
}

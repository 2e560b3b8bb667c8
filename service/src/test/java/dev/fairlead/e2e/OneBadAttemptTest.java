package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handling that always throws affects only its attempt. */
class OneBadAttemptTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private boolean senseless = true;
  private Function<String, Throwable> failure = IllegalStateException::new;

  private ClusterGateway throwing(ClusterGateway real, String step) {
    return Between.on(
        real,
        (method, arguments, call) -> {
          if (method.getName().equals("apply") && bad((WorkloadAction) arguments[0], step)) {
            throw failure.apply("no manifest for " + step);
          }
          return call.now();
        });
  }

  private boolean bad(WorkloadAction action, String step) {
    return action.getClass().getSimpleName().equals(step) && named(action.attempt(), "bad");
  }

  private boolean named(AttemptId id, String name) {
    return fairlead.stores().jobs().everyAttempt().stream()
        .filter(attempt -> attempt.id().equals(id))
        .flatMap(attempt -> fairlead.stores().jobs().findAll(List.of(attempt.job())).stream())
        .anyMatch(job -> job.name().equals(name));
  }

  private static Specs job(String name) {
    return Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", "1s");
  }

  private double setAside() {
    return fairlead.metrics().get("fairlead.attempts.set-aside").gauges().stream()
        .mapToDouble(gauge -> gauge.value())
        .sum();
  }

  private void through(String step) {
    fairlead.reachThrough(real -> throwing(real, step));
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
  }

  /** Fails when a launch that throws is only tried again. */
  @Test
  void alwaysThrowingLaunchFailsItsJobWithTheCause() {
    through("Launch");
    Job bad = fairlead.submit(job("bad"));
    Job good = fairlead.submit(job("good"));

    fairlead.until(good, JobState.SUCCEEDED);
    fairlead.until(bad, JobState.FAILED);

    assertThat(fairlead.job(bad).run().failure())
        .matches(f -> f.cause() == FailureCause.PLATFORM && f.message().contains("no manifest"));
  }

  /** Fails when it is retried forever, not counted, or only logged. */
  @ParameterizedTest
  @ValueSource(strings = {"Stop", "Retire"})
  void alwaysThrowingEndIsIsolatedAndCounted(String step) {
    through(step);
    Job bad = fairlead.submit(job("bad").annotation("sim.fairlead.dev/run-for", "20m"));
    fairlead.until(bad, JobState.RUNNING);
    fairlead.commands().cancel(fairlead.ana(), bad.id());
    if (step.equals("Retire")) {
      fairlead.until(bad, JobState.CANCELLED);
    }

    fairlead.pass(Duration.ofMinutes(1));

    setAsideAndTold(bad, "no manifest for " + step);
    fairlead.until(fairlead.submit(job("good")), JobState.SUCCEEDED);
  }

  /** Fails when an Error of one attempt ends the pass of all. */
  @ParameterizedTest
  @ValueSource(strings = {"Stop", "Retire"})
  void anErrorOfOneAttemptIsSetAsideAndCountedAsAnyFailure(String step) {
    failure = NoClassDefFoundError::new;
    alwaysThrowingEndIsIsolatedAndCounted(step);
  }

  /** Fails when an Error at a launch is tried forever. */
  @Test
  void launchThatEndsWithAnErrorFailsItsJobWithTheCause() {
    failure = NoClassDefFoundError::new;
    alwaysThrowingLaunchFailsItsJobWithTheCause();
  }

  /** Ends one call chain. Fails when it counts as the end of the process, like other errors. */
  @Test
  void launchThatOverflowsTheStackFailsOnlyItsJob() {
    failure = StackOverflowError::new;
    alwaysThrowingLaunchFailsItsJobWithTheCause();
  }

  /**
   * Fails when an Error counts as a failure of one attempt, although the process cannot continue.
   */
  @Test
  void virtualMachineErrorIsRethrown() {
    failure = OutOfMemoryError::new;
    through("Launch");
    fairlead.submit(job("bad"));

    assertThatThrownBy(() -> fairlead.pass(Duration.ofSeconds(30)))
        .isInstanceOf(OutOfMemoryError.class);
  }

  /**
   * The cluster's report of this attempt is inconsistent. Fails when one bad attempt ends the pass
   * of all.
   */
  @Test
  void undecidableReportIsIsolatedAndReportedAndDelaysNoOther() {
    fairlead.reachThrough(this::senseless);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job bad = fairlead.submit(job("bad"));
    Job good = fairlead.submit(job("good"));

    fairlead.until(good, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofMinutes(1));

    setAsideAndTold(bad, "NullPointerException");
    assertThat(fairlead.attempts(bad)).hasSize(1);
    senseless = false;
    fairlead.pass(Duration.ofMinutes(11));
    fairlead.until(bad, JobState.SUCCEEDED);
    fairlead.pass(Duration.ofMinutes(3)); // its output was read, and its objects are removed
    assertThat(setAside()).isZero();
  }

  /** Fails when the attempt counts as excluded after it is handled again. */
  @Test
  void recoveredAttemptIsNoLongerIsolated() {
    fairlead.reachThrough(this::senseless);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job bad = fairlead.submit(job("bad").annotation("sim.fairlead.dev/run-for", "20m"));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(setAside()).isEqualTo(1);

    senseless = false;
    fairlead.pass(Duration.ofMinutes(11));

    assertThat(fairlead.state(bad)).isEqualTo(JobState.RUNNING);
    assertThat(setAside()).isZero();
  }

  /** Fails when the process that lost the lease still counts it. */
  @Test
  void attemptOfAClusterManagedElsewhereIsNotCountedHere() {
    fairlead.reachThrough(this::senseless);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    fairlead.submit(job("bad").annotation("sim.fairlead.dev/run-for", "20m"));
    fairlead.pass(Duration.ofMinutes(1));
    assertThat(setAside()).isEqualTo(1);

    fairlead.stores().clock().advance(Duration.ofMinutes(1)); // it stood still
    InMemoryFairlead other = fairlead.replica("other");
    other.turn();
    fairlead.turn();

    assertThat(fairlead.metrics().find("fairlead.attempts.set-aside").gauge()).isNull();
  }

  private ClusterGateway senseless(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            method.getName().equals("workloadsSince") && senseless
                ? twisted((WorkloadView) call.now())
                : call.now());
  }

  private WorkloadView twisted(WorkloadView view) {
    TreeMap<AttemptId, ObservedWorkload> shown = new TreeMap<>(view.workloads());
    shown.replaceAll((attempt, workload) -> named(attempt, "bad") ? stateless(workload) : workload);
    return new WorkloadView(view.revision(), view.complete(), shown);
  }

  private static ObservedWorkload stateless(ObservedWorkload workload) {
    TreeMap<MemberKey, ObservedMember> members = new TreeMap<>(workload.members());
    members.replaceAll((key, m) ->
        new ObservedMember(
            key,
            m.uid(),
            null,
            m.node(),
            m.started(),
            null,
            null,
            null,
            null,
            null,
            false,
            ObservedMember.Held.NOTHING,
            false,
            List.of(),
            DeviceReporter.POD_STATUS));
    return new ObservedWorkload(workload.attempt(), members, workload.others());
  }

  private void setAsideAndTold(Job job, String cause) {
    assertThat(setAside()).isEqualTo(1);
    assertThat(fairlead.stores().events().after(EventPosition.START, 1000))
        .filteredOn(event -> event.fact().type().equals("AttemptSetAside"))
        .singleElement()
        .matches(event -> event.subjectId().equals(job.id().value()))
        .matches(event -> event.fact().data().toString().contains(cause));
  }
}

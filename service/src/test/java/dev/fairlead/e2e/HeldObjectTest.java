package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An ended attempt with a remaining object on its cluster. */
class HeldObjectTest {
  private static final String WHY = "pod a/b is blocked by the finalizer x/y of another controller";
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private boolean held = true;

  private ClusterGateway holding(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            held
                    && method.getName().equals("apply")
                    && arguments[0] instanceof WorkloadAction.Retire
                ? new ActionOutcome.Unavailable(WHY)
                : call.now());
  }

  private List<Object> told() {
    return facts("AttemptNotCleared").map(fact -> (Object) fact.data().get("message")).toList();
  }

  private Stream<Fact> facts(String type) {
    return fairlead.stores().events().after(EventPosition.START, 1000).stream()
        .map(EventRecord::fact)
        .filter(fact -> fact.type().equals(type));
  }

  /** Fails when each cleanup has an event, or only the report of an object that remains. */
  @Test
  void aCleanupHasAnEventOnlyIfAnObjectWasReported() {
    fairlead.reachThrough(this::holding);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job reported = fairlead.submit(Specs.job("reported").gpus(1));
    fairlead.until(reported, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusMinutes(6));
    held = false;
    Job usual = fairlead.submit(Specs.job("usual").gpus(1));
    fairlead.until(usual, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusMinutes(1));

    assertThat(List.of(reported, usual))
        .allSatisfy(job -> assertThat(fairlead.attempts(job).getFirst().retiredAt()).isNotNull());
    String attempt = fairlead.attempts(reported).getFirst().id().text();
    assertThat(facts("AttemptRetired"))
        .extracting(fact -> fact.data().get("attempt"))
        .containsExactly(attempt);
  }

  /** Fails when a failing cleanup is never reported, or reported repeatedly. */
  @Test
  void blockerOfAnObjectIsReportedOnceAfterTheLimitAndTheAttemptIsCleanedUpAfterwards() {
    fairlead.reachThrough(this::holding);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job = fairlead.submit(Specs.job("train").gpus(1));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusMinutes(4));
    assertThat(told()).as("it may be a hitch").isEmpty();

    fairlead.pass(Duration.ofMinutes(2));
    assertThat(told()).containsExactly("for 5 minutes it cannot be cleaned up: " + WHY);
    fairlead.pass(Duration.ofMinutes(10));
    assertThat(told()).hasSize(1);
    assertThat(fairlead.attempts(job).getFirst().retiredAt()).isNull();

    held = false;
    fairlead.pass(Duration.ofSeconds(10));
    assertThat(fairlead.attempts(job).getFirst().retiredAt()).isNotNull();
  }

  /**
   * Fails when a remaining attempt is dropped with its event, or a process that takes over never
   * reports it again.
   */
  @Test
  void remainingObjectIsReportedAgainAfterADayByAnyProcess() {
    fairlead.reachThrough(this::holding);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job = fairlead.submit(Specs.job("train").gpus(1));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusMinutes(6));
    assertThat(told()).hasSize(1);
    fairlead.shutDown();
    fairlead.stores().clock().advance(Duration.ofHours(25));

    InMemoryFairlead next = fairlead.replica("two");
    next.reachThrough(this::holding);
    next.pass(Duration.ofMinutes(10));
    assertThat(told()).hasSize(2).last().isEqualTo("still it cannot be cleaned up: " + WHY);
  }

  /** Fails when each process that takes over the cluster restarts the count. */
  @Test
  void newLeaderKnowsEarlierReports() {
    fairlead.reachThrough(this::holding);
    fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1));
    Job job = fairlead.submit(Specs.job("train").gpus(1));
    fairlead.until(job, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusMinutes(6));
    assertThat(told()).hasSize(1);

    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    next.reachThrough(this::holding);
    next.pass(Duration.ofMinutes(10));
    assertThat(told()).hasSize(1);
    assertThat(next.attempts(job).getFirst().retiredAt()).isNull();

    held = false;
    next.pass(Duration.ofSeconds(10));
    assertThat(next.attempts(job).getFirst().retiredAt()).isNotNull();
  }

  /**
   * Fails when stuck attempts drop the output of all others, including attempts that another
   * process has tried.
   */
  @Test
  void stuckObjectsDoNotMarkTheClusterAsCrowded() {
    AtomicInteger calls = new AtomicInteger();
    Set<AttemptId> stuck = ConcurrentHashMap.newKeySet();
    UnaryOperator<ClusterGateway> way =
        real ->
            Between.on(
                real,
                (method, arguments, call) -> {
                  boolean retires =
                      method.getName().equals("apply")
                          && arguments[0] instanceof WorkloadAction.Retire retire
                          && stuck.contains(retire.attempt());
                  return retires && calls.incrementAndGet() > 0
                      ? new ActionOutcome.Unavailable(WHY)
                      : call.now();
                });
    fairlead.reachThrough(way);
    fairlead.register("eu-1", new FleetPool(32, 8, "H100", 1, 1));
    Job array =
        fairlead.submit(
            Specs.job("many").gpus(1).array("0-250").annotation("sim.fairlead.dev/run-for", "30s"));
    fairlead.pass(Duration.ofSeconds(20));
    fairlead.attempts(array).forEach(attempt -> stuck.add(attempt.id()));
    assertThat(stuck).hasSize(251);
    fairlead.until(array, JobState.SUCCEEDED);
    fairlead.pass(WorkloadTimeouts.DEFAULT.keepSucceeded().plusMinutes(6));
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    next.reachThrough(way);

    List<Job> failing = new ArrayList<>();
    for (int each = 0; each < 12; each++) {
      failing.add(
          next.submit(
              Specs.job("fails-" + each)
                  .gpus(1)
                  .retry(1)
                  .annotation("sim.fairlead.dev/run-for", 700 * (each + 1) + "ms")
                  .annotation("sim.fairlead.dev/outcome", "fail")));
    }
    failing.forEach(job -> next.until(job, JobState.FAILED));
    calls.set(0);
    next.pass(Duration.ofSeconds(30));
    assertThat(calls.get()).as("one call of each in five seconds").isBetween(251, 7 * 251);
    assertThat(failing)
        .as("their output stays")
        .allSatisfy(job -> assertThat(next.attempts(job).getFirst().retiredAt()).isNull());
  }
}

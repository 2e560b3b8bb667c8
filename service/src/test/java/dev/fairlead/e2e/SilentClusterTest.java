package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A cluster stops answering while another is free. */
class SilentClusterTest {
  private static final FleetPool EIGHT = new FleetPool(1, 8, "H100", 1, 1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  /** Silent clusters by name, with the begin of their silence. */
  private final Map<String, Instant> silent = new TreeMap<>();

  /** Whether the adapter still remembers that the epoch is the cluster's. */
  private boolean remembered;

  /** Hangs all calls: connections stay open, as to a stopped process. */
  private ClusterGateway silent(String name, ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) -> {
          Instant since = silent.get(name);
          if (since == null) {
            return call.now();
          }
          return switch (method.getName()) {
            case "contact" -> new Contact(Duration.between(since, now()).toMillis(), true, null);
            case "claim" ->
                remembered ? call.now() : new EpochClaim.Unknown("its fence: no answer in time");
            case "apply", "keepOut" -> new ActionOutcome.Unavailable("no answer in time");
            default -> call.now();
          };
        });
  }

  private Instant now() {
    return fairlead.stores().clock().instant();
  }

  private void register(String... names) {
    for (String name : names) {
      fairlead.reachThrough(real -> silent(name, real));
      fairlead.register(name, EIGHT);
      fairlead.pass(Duration.ofSeconds(1));
    }
  }

  private Job submit(String name) {
    return fairlead.submit(Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", "10m"));
  }

  private String clusterOf(Attempt attempt) {
    return fairlead.stores().inventory().cluster(attempt.cluster()).orElseThrow().name();
  }

  private Cluster cluster(String name) {
    return fairlead.stores().inventory().clusters().stream()
        .filter(cluster -> cluster.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void becomesSilent(String name) {
    silent.put(name, now());
  }

  /** Fails when a cluster counts as answering until its connection is closed. */
  @Test
  void silentClusterGetsNoPlacementAfterFiveSecondsWhileAnotherIsFree() {
    register("eu-1");
    Job first = submit("first");
    fairlead.until(first, JobState.RUNNING);
    register("us-1");
    remembered = true;
    becomesSilent("eu-1");
    fairlead.pass(Duration.ofSeconds(5));
    for (int i = 0; i < 3; i++) {
      Job next = submit("next-" + i);
      fairlead.pass(Duration.ofSeconds(2));
      assertThat(fairlead.attempts(next)).singleElement().matches(a -> clusterOf(a).equals("us-1"));
    }
    assertThat(cluster("eu-1").state()).isEqualTo(ClusterState.DEGRADED);
    assertThat(cluster("eu-1").lastSeenAt())
        .isBetween(silent.get("eu-1").minusSeconds(1), silent.get("eu-1").plusSeconds(1));
  }

  /** Fails when attempts planned on a silent cluster wait until it counts as unreachable. */
  @Test
  void unsentAttemptOfASilentClusterIsReplannedElsewhereAndSpendsNoRetry() {
    register("eu-1");
    becomesSilent("eu-1");
    Job job = submit("moved");
    fairlead.pass(Duration.ofMillis(200));
    assertThat(fairlead.attempts(job))
        .singleElement()
        .matches(a -> a.state() == AttemptState.PLANNED);
    register("us-1");

    fairlead.pass(Duration.ofSeconds(7));

    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
    assertThat(fairlead.attempts(job)).hasSize(2);
    assertThat(clusterOf(fairlead.attempts(job).getLast())).isEqualTo("us-1");
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(fairlead.attempts(job).getFirst())
        .matches(a -> a.state() == AttemptState.EVICTED)
        .extracting(Attempt::failure)
        .matches(f -> f.cause() == FailureCause.PLACEMENT_CONFLICT)
        .satisfies(
            f -> assertThat(f.message()).satisfies(reason("silent-cluster.nothing-sent-cluster")));
  }

  /** Fails when the job holds its nodes without a message, or waits without a reason. */
  @Test
  void jobWithoutAnotherClusterWaitsAndReportsSinceWhenItsClusterIsSilent() {
    register("eu-1");
    becomesSilent("eu-1");
    Job job = submit("alone");
    fairlead.pass(Duration.ofSeconds(10));

    assertThat(fairlead.state(job)).isEqualTo(JobState.QUEUED);
    String since = cluster("eu-1").lastSeenAt().toString();
    assertThat(fairlead.stores().explanations().of(job.id()).orElseThrow().explanation().first())
        .matches(b -> b.reason() == Reason.CLUSTER_UNAVAILABLE)
        .matches(b -> b.message().contains("eu-1 is DEGRADED"))
        .matches(b -> b.message().contains(since));

    silent.clear();
    fairlead.pass(Duration.ofSeconds(2));
    assertThat(fairlead.state(job)).isEqualTo(JobState.RUNNING);
  }

  /**
   * A copy of the database contains attempts as unsent that another process launched. Fails when
   * they are abandoned before the cluster accepted the holder's epoch.
   */
  @Test
  void attemptPlannedUnderAnEarlierEpochWaitsUntilTheClusterEnforcesThisOne() {
    register("eu-1");
    becomesSilent("eu-1");
    Job job = submit("planned-before");
    fairlead.pass(Duration.ofMillis(200));
    fairlead.shutDown();
    InMemoryFairlead next = fairlead.replica("two");
    next.reachThrough(real -> silent("eu-1", real));

    next.pass(Duration.ofSeconds(20));

    assertThat(next.attempts(job)).singleElement().matches(a -> a.state() == AttemptState.PLANNED);
    silent.clear();
    next.until(job, JobState.RUNNING);
    assertThat(next.attempts(job)).hasSize(1);
  }
}

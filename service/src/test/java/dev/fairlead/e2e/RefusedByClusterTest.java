package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ActionOutcome.Why;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.WorkloadAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A cluster refuses pods: temporarily for any job, or by a policy. */
class RefusedByClusterTest {
  private static final String WORDS = "exceeded quota: none, requested: pods=1. Raise the quota";
  private static final FleetPool EIGHT = new FleetPool(1, 8, "H100", 1, 1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final Set<String> refusing = new TreeSet<>();
  private Why why = Why.NOT_NOW;

  private ClusterGateway refusing(ClusterGateway real) {
    return Between.on(
        real,
        (method, arguments, call) ->
            method.getName().equals("apply")
                    && arguments[0] instanceof WorkloadAction.Launch launch
                    && refusing.contains(clusterOf(launch.attempt()))
                ? new ActionOutcome.Refused(why, WORDS)
                : call.now());
  }

  private String clusterOf(AttemptId id) {
    return fairlead.stores().jobs().everyAttempt().stream()
        .filter(attempt -> attempt.id().equals(id))
        .map(attempt -> fairlead.stores().inventory().cluster(attempt.cluster()).orElseThrow())
        .map(Cluster::name)
        .findFirst()
        .orElseThrow();
  }

  private void register(String... clusters) {
    fairlead.reachThrough(this::refusing);
    for (String name : clusters) {
      fairlead.register(name, EIGHT);
    }
  }

  private Cluster cluster(String name) {
    return fairlead.stores().inventory().clusterNamed(name).orElseThrow();
  }

  private static Specs job(String name) {
    return Specs.job(name).gpus(1).annotation("sim.fairlead.dev/run-for", "1s");
  }

  /** Fails when a refusal is only tried again: it held its GPUs for five minutes, in silence. */
  @Test
  void temporaryRejectionIsReportedOnJobAndClusterAndSpendsNoRetry() {
    register("eu-1");
    refusing.add("eu-1");
    Job job = fairlead.submit(job("waits"));

    fairlead.pass(Duration.ofSeconds(10));

    assertThat(fairlead.state(job)).isEqualTo(JobState.QUEUED);
    assertThat(fairlead.attempts(job)).hasSize(1).allMatch(a -> !a.live() && a.failure() != null);
    assertThat(fairlead.attempts(job).getFirst().failure().message()).isEqualTo(WORDS);
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(fairlead.stores().explanations().of(job.id()).orElseThrow().explanation().toString())
        .contains("CLUSTER_UNAVAILABLE", "cluster eu-1 refuses its pods: " + WORDS);
    assertThat(cluster("eu-1").trouble()).contains(WORDS);
    assertThat(cluster("eu-1").state()).as("others may use it").isEqualTo(ClusterState.ACTIVE);
    assertThat(fairlead.metrics().get("fairlead.launches.refused").counter().count()).isEqualTo(1);

    refusing.clear();
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(cluster("eu-1").trouble()).isNull();
  }

  /** Fails when a job returns to the cluster that refused it while another is free. */
  @Test
  void jobRejectedByOneClusterStartsOnAnotherImmediately() {
    register("eu-1", "us-1");
    Job first = fairlead.submit(job("first"));
    fairlead.until(first, JobState.SUCCEEDED);
    refusing.add(clusterOf(fairlead.attempts(first).getFirst().id()));
    Job job = fairlead.submit(job("elsewhere"));

    fairlead.pass(Duration.ofSeconds(15));

    assertThat(fairlead.state(job)).isEqualTo(JobState.SUCCEEDED);
    assertThat(fairlead.attempts(job)).hasSize(2);
    assertThat(fairlead.job(job).run().failures()).isZero();
  }

  /** Fails when the policy of one cluster fails a job that another accepts. */
  @Test
  void rejectionByAClusterPolicyIsNotChargedToTheJob() {
    register("eu-1", "us-1");
    why = Why.DENIED;
    Job first = fairlead.submit(job("first"));
    fairlead.until(first, JobState.SUCCEEDED);
    refusing.add(clusterOf(fairlead.attempts(first).getFirst().id()));

    Job job = fairlead.submit(job("elsewhere"));

    fairlead.until(job, JobState.SUCCEEDED);
  }

  /** Fails when it is retried forever, or fails at the first try. */
  @Test
  void rejectionByEveryClusterFailsTheJobWithTheMessageAfterSomeTries() {
    register("eu-1", "us-1");
    why = Why.DENIED;
    refusing.addAll(Set.of("eu-1", "us-1"));
    Job job = fairlead.submit(job("denied"));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(fairlead.state(job)).isEqualTo(JobState.QUEUED);

    fairlead.until(job, JobState.FAILED);

    assertThat(fairlead.job(job).run().failure())
        .matches(f -> f.cause() == FailureCause.CONFIGURATION && f.message().contains(WORDS));
    assertThat(fairlead.attempts(job)).hasSize(4);
  }

  /** Fails when a job does not move to its data: it failed at the first cluster, or waited. */
  @Test
  void jobMovesToTheClusterOfItsClaim() {
    register("eu-1", "eu-2", "us-1");
    why = Why.CLAIM_MISSING;
    refusing.addAll(Set.of("eu-1", "eu-2"));
    Instant start = fairlead.stores().clock().instant();
    Job job = fairlead.submit(job("drawn"));

    fairlead.until(job, JobState.SUCCEEDED);

    assertThat(clusterOf(fairlead.attempts(job).getLast().id())).isEqualTo("us-1");
    assertThat(fairlead.job(job).run().failures()).isZero();
    assertThat(fairlead.stores().clock().instant()).isBefore(start.plusSeconds(20));
    assertThat(cluster("eu-1").trouble()).isNull();
    assertThat(fairlead.metrics().find("fairlead.launches.refused").counter()).isNull();
  }

  /** Fails when a job moves away from its data to a free cluster, or does not report its wait. */
  @Test
  void jobWaitsForTheFullClusterOfItsClaimAndReportsIt() {
    register("eu-1", "us-1");
    why = Why.CLAIM_MISSING;
    Job first = fairlead.submit(job("first").gpus(8).annotation("sim.fairlead.dev/run-for", "40s"));
    fairlead.until(first, JobState.RUNNING);
    String full = clusterOf(fairlead.attempts(first).getFirst().id());
    String free = full.equals("eu-1") ? "us-1" : "eu-1";
    refusing.add(free);
    Job job = fairlead.submit(job("waits"));

    fairlead.pass(Duration.ofSeconds(15));

    assertThat(fairlead.state(job)).isEqualTo(JobState.QUEUED);
    assertThat(fairlead.stores().explanations().of(job.id()).orElseThrow().explanation().toString())
        .contains("CAPACITY", "STORAGE", "cluster " + free + " lacks a volume: " + WORDS);
    fairlead.until(job, JobState.SUCCEEDED);
    assertThat(clusterOf(fairlead.attempts(job).getLast().id())).isEqualTo(full);
  }

  /** Fails when each job tries the same wrong cluster, or one is blocked by another's claim. */
  @Test
  void rejectionFoundByOneJobSparesOthersOfTheSameClaim() {
    register("eu-1", "us-1");
    why = Why.CLAIM_MISSING;
    Job first = fairlead.submit(job("first"));
    fairlead.until(first, JobState.SUCCEEDED);
    String without = clusterOf(fairlead.attempts(first).getFirst().id());
    refusing.add(without);
    Specs runs = job("finds").claim("data").annotation("sim.fairlead.dev/run-for", "1h");
    fairlead.until(fairlead.submit(runs), JobState.RUNNING);
    refusing.clear();

    Job same = fairlead.submit(job("same").claim("data").gpus(8));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(fairlead.attempts(same)).isEmpty();
    assertThat(
            fairlead.stores().explanations().of(same.id()).orElseThrow().explanation().toString())
        .contains("CAPACITY", "STORAGE", "cluster " + without + " lacks a volume");
    Job other = fairlead.submit(job("other").claim("models").gpus(8));
    fairlead.pass(Duration.ofSeconds(5));
    assertThat(clusterOf(fairlead.attempts(other).getFirst().id())).isEqualTo(without);
  }

  /** Fails when a claim that no cluster has is searched endlessly, or four times. */
  @Test
  void claimMissingOnEveryNamedClusterFailsTheJobAfterOneTryEach() {
    register("eu-1", "us-1");
    Job job = withoutItsClaim(job("none").placement(on("eu-1", "us-1")));

    assertThat(fairlead.attempts(job)).hasSize(2);
  }

  /** Fails when it is retried endlessly: a third cluster may have it, and has no nodes yet. */
  @Test
  void claimPossibleOnlyOnAClusterWithoutNodesIsTriedFourTimes() {
    register("eu-1", "us-1");
    Job job = withoutItsClaim(job("none"));

    assertThat(fairlead.attempts(job)).hasSize(8);
  }

  private Job withoutItsClaim(Specs specs) {
    why = Why.CLAIM_MISSING;
    refusing.addAll(Set.of("eu-1", "us-1"));
    Job job = fairlead.submit(specs);
    fairlead.until(job, JobState.FAILED);
    assertThat(fairlead.job(job).run().failure())
        .matches(f -> f.cause() == FailureCause.CONFIGURATION && f.message().contains(WORDS));
    return job;
  }

  private static PlacementSpec on(String... clusters) {
    return PlacementSpec.ANYWHERE.with().clusters(List.of(clusters)).build();
  }
}

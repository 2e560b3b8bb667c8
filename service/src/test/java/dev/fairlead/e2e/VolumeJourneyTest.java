package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Volumes follow their first consumer, and later consumers follow the volume. */
class VolumeJourneyTest {
  private static final FleetPool EIGHT = new FleetPool(1, 8, "H100", 1, 1);
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  private final Map<String, SimulatedCluster> clusters = new LinkedHashMap<>();

  private void register(String... names) {
    for (String name : names) {
      clusters.put(name, fairlead.register(name, EIGHT));
    }
    fairlead.pass(Duration.ofSeconds(3));
  }

  private Volume claim(String name) {
    return Volumes.kept(fairlead.stores(), fairlead.project(), name);
  }

  private Volume now(Volume volume) {
    return fairlead
        .stores()
        .volumes()
        .find(volume.tenant(), volume.project(), volume.name())
        .orElseThrow();
  }

  private static Specs job(String name, String volume) {
    return Specs.job(name).gpus(1).volume(volume).annotation("sim.fairlead.dev/run-for", "1s");
  }

  private String clusterOf(Volume volume) {
    return name(Objects.requireNonNull(now(volume).cluster()));
  }

  private String name(ClusterId id) {
    return fairlead.stores().inventory().cluster(id).map(Cluster::name).orElseThrow();
  }

  private List<String> ranOn(Job job) {
    return fairlead.attempts(job).stream().map(a -> name(a.cluster())).toList();
  }

  private SimulatedCluster simulated(String name) {
    return Objects.requireNonNull(clusters.get(name));
  }

  private String other(String name) {
    return clusters.keySet().stream().filter(each -> !each.equals(name)).findFirst().orElseThrow();
  }

  private void fill(String cluster) {
    Specs spec =
        Specs.job("fills-" + cluster).gpus(8).annotation("sim.fairlead.dev/run-for", "10m");
    fairlead.until(fairlead.submit(on(cluster, spec)), JobState.RUNNING);
  }

  private static Specs on(String cluster, Specs spec) {
    return spec.placement(PlacementSpec.ANYWHERE.with().clusters(List.of(cluster)).build());
  }

  private String reasons(Job job) {
    return fairlead.stores().explanations().of(job.id()).orElseThrow().explanation().toString();
  }

  /** Fails when a job runs away from the data of its volume, or a second claim is created. */
  @Test
  void firstConsumerPlacesTheVolumeAndTheNextOnesFollow() {
    register("eu-1", "us-1");
    Volume training = claim("training");

    Job first = fairlead.until(fairlead.submit(job("first", "training")), JobState.SUCCEEDED);

    assertThat(now(training).state()).isEqualTo(VolumeState.BOUND);
    assertThat(ranOn(first)).containsExactly(clusterOf(training));
    fill(clusterOf(training));

    Job next = fairlead.submit(job("next", "training"));
    fairlead.pass(Duration.ofSeconds(20));

    assertThat(fairlead.state(next)).isEqualTo(JobState.QUEUED);
    assertThat(reasons(next)).contains("STORAGE", "training is on " + clusterOf(training));
    fairlead.until(next, JobState.SUCCEEDED);
    assertThat(ranOn(next)).containsExactly(clusterOf(training));
    assertThat(simulated(clusterOf(training)).claims().made()).hasSize(1);
    assertThat(simulated(other(clusterOf(training))).claims().made()).isEmpty();
  }

  @Test
  void claimedVolumeExcludesNoCluster() {
    register("eu-1", "us-1");
    fill("eu-1");
    claim("training");

    Job job = fairlead.until(fairlead.submit(job("goes", "training")), JobState.SUCCEEDED);

    assertThat(ranOn(job)).containsExactly("us-1");
  }

  /** Fails when a deleted claim is created again without its data, on this or another cluster. */
  @Test
  void missingClaimIsReportedAndRecreatedNowhere() {
    register("eu-1", "us-1");
    Volume training = claim("training");
    fairlead.until(fairlead.submit(job("first", "training")), JobState.SUCCEEDED);
    String there = clusterOf(training);
    assertThat(
            simulated(there).claims().delete(fairlead.project().namespace(), training.claimName()))
        .isTrue();

    Job next = fairlead.until(fairlead.submit(job("next", "training")), JobState.FAILED);

    assertThat(fairlead.job(next).run().failure().cause()).isEqualTo(FailureCause.CONFIGURATION);
    assertThat(fairlead.job(next).run().failure().message())
        .contains("volume \"training\"", "is LOST", "no longer exists");
    assertThat(now(training).state()).isEqualTo(VolumeState.LOST);
    assertThat(clusters.values()).flatMap(cluster -> cluster.claims().made()).hasSize(1);
    assertThatThrownBy(() -> fairlead.submit(job("third", "training")))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("is LOST");
  }

  /** Fails when the lost claims of one project stop the jobs of others, or of its other volumes. */
  @Test
  void manyMissingClaimsOfOneProjectStopOnlyTheJobsThatMountThem() {
    register("eu-1");
    List<Volume> theirs = new ArrayList<>();
    for (int number = 0; number < 21; number++) {
      theirs.add(claim("data-" + number));
      fairlead.until(fairlead.submit(job("first-" + number, "data-" + number)), JobState.SUCCEEDED);
    }
    Volume present = claim("present");
    fairlead.until(fairlead.submit(job("first", "present")), JobState.SUCCEEDED);
    String namespace = fairlead.project().namespace();
    theirs.forEach(v -> simulated("eu-1").claims().delete(namespace, v.claimName()));
    fairlead.pass(Duration.ofMinutes(2));

    Job waits = fairlead.submit(job("waits", "data-0"));
    fairlead.until(fairlead.submit(job("next", "present")), JobState.SUCCEEDED);
    fairlead.until(fairlead.submit(Specs.job("without").gpus(1)), JobState.SUCCEEDED);
    fairlead.pass(Duration.ofMinutes(20));

    Cluster shown = fairlead.stores().inventory().clusterNamed("eu-1").orElseThrow();
    assertThat(shown.state()).isEqualTo(ClusterState.ACTIVE);
    assertThat(shown.trouble()).satisfies(reason("volume-journey.claims-volumes-missing", 21, 22));
    assertThat(fairlead.attempts(waits)).isEmpty();
    assertThat(reasons(waits))
        .contains("STORAGE", "data-0 is on eu-1", "missing")
        .doesNotContain("WINDOW_CLOSED", "NEVER_FITS");
    assertThat(now(present).state()).isEqualTo(VolumeState.BOUND);
    assertThat(now(theirs.getFirst()).state()).isEqualTo(VolumeState.BOUND);

    theirs.forEach(v -> simulated("eu-1").claims().restore(namespace, v.claimName()));
    fairlead.until(waits, JobState.SUCCEEDED);
    assertThat(fairlead.stores().inventory().clusterNamed("eu-1").orElseThrow().trouble()).isNull();
  }

  /** Fails when another claim of the same name counts as the claim with the data. */
  @Test
  void foreignClaimWithItsNameIsNotTheVolume() {
    register("eu-1");
    Volume training = claim("training");
    fairlead.until(fairlead.submit(job("first", "training")), JobState.SUCCEEDED);
    simulated("eu-1").claims().replace(fairlead.project().namespace(), training.claimName());

    Job next = fairlead.until(fairlead.submit(job("next", "training")), JobState.FAILED);

    assertThat(fairlead.job(next).run().failure().message())
        .contains("\"training\"", "LOST", "another volume");
  }

  /** Fails when a volume without a claim binds its jobs to the cluster that refused it. */
  @Test
  void claimRejectedByOneClusterIsCreatedOnAnother() {
    register("eu-1", "us-1");
    simulated("eu-1").claims().refuses("storage quota exceeded");
    Volume training = claim("training");

    Job job = fairlead.until(fairlead.submit(job("first", "training")), JobState.SUCCEEDED);

    assertThat(ranOn(job)).endsWith("us-1");
    assertThat(clusterOf(training)).isEqualTo("us-1");
    assertThat(fairlead.job(job).run().failures()).as("retries spent").isZero();
    assertThat(simulated("eu-1").claims().made()).isEmpty();
  }

  @Test
  void claimRejectedByTheOnlyClusterFailsTheJobWithItsMessage() {
    register("eu-1");
    simulated("eu-1").claims().refuses("storage quota exceeded");
    Volume training = claim("training");

    Job job = fairlead.until(fairlead.submit(job("first", "training")), JobState.FAILED);

    assertThat(fairlead.job(job).run().failure().message()).contains("storage quota exceeded");
    fairlead.pass(Duration.ofSeconds(10));
    assertThat(now(training).state()).isEqualTo(VolumeState.CLAIMED);
  }

  /** Fails when a claim with a lost response is created again, or its job waits forever. */
  @Test
  void claimWithALostResponseIsFoundAgain() {
    AtomicInteger lost = new AtomicInteger(3);
    fairlead.reachThrough(real ->
        Between.on(
            real,
            (method, arguments, call) -> {
              Object outcome = call.now();
              return method.getName().equals("provide") && lost.getAndDecrement() > 0
                  ? new VolumeOutcome.Not(new ActionOutcome.Unavailable("no answer"))
                  : outcome;
            }));
    register("eu-1");
    Volume training = claim("training");

    fairlead.until(fairlead.submit(job("first", "training")), JobState.SUCCEEDED);

    assertThat(lost.get()).isLessThanOrEqualTo(0);
    assertThat(now(training).state()).isEqualTo(VolumeState.BOUND);
    assertThat(simulated("eu-1").claims().made()).hasSize(1);
  }

  @Test
  void unboundClaimIsBeingProvisioned() {
    register("eu-1");
    simulated("eu-1").claims().binds(false);
    Volume training = claim("training");

    fairlead.until(fairlead.submit(job("first", "training")), JobState.SUCCEEDED);

    assertThat(now(training).state()).isEqualTo(VolumeState.PROVISIONING);
    assertThat(now(training).message()).isEqualTo("not bound yet");
    assertThat(now(training).provisionedAt()).as("since when").isNotNull();
    simulated("eu-1").claims().binds(true);
    fairlead.until(fairlead.submit(job("next", "training")), JobState.SUCCEEDED);
    assertThat(now(training).state()).isEqualTo(VolumeState.BOUND);
  }

  /**
   * Fails when a job with volumes on two clusters is tried, or the message lacks the cluster's
   * name.
   */
  @Test
  void jobRunsOnlyWhereAllItsVolumesAre() {
    register("eu-1", "us-1");
    claim("training");
    claim("images");
    Instant later = fairlead.stores().clock().instant().plusSeconds(60);
    Job both = fairlead.submit(job("both", "training").volume("images").notBefore(later));
    fairlead.until(fairlead.submit(on("eu-1", job("one", "training"))), JobState.SUCCEEDED);
    fairlead.until(fairlead.submit(on("us-1", job("two", "images"))), JobState.SUCCEEDED);

    fairlead.pass(Duration.ofSeconds(70));

    assertThat(fairlead.attempts(both)).isEmpty();
    assertThat(fairlead.state(both)).isEqualTo(JobState.QUEUED);
    assertThat(reasons(both))
        .satisfies(reason("volume-journey.eligible-cluster-all-volumes"))
        .contains("images is on us-1", "training is on eu-1")
        .doesNotContain("volumes/apart");
    assertThatThrownBy(() -> fairlead.submit(job("third", "training").volume("images")))
        .hasMessageContaining("are on different clusters");
  }

  private String nodeOf(Job job) {
    return fairlead.attempts(job).getLast().members().getFirst().nodeName();
  }

  /**
   * Fails when a pod is sent to a node that does not reach its disk, where it would never start.
   */
  @Test
  void laterConsumersRunOnTheNodesThatReachItsDisk() {
    clusters.put("eu-1", fairlead.register("eu-1", new FleetPool(2, 8, "H100", 1, 1)));
    fairlead.pass(Duration.ofSeconds(3));
    SortedMap<String, String> label = new TreeMap<>();
    label.put("kubernetes.io/hostname", "eu-1-gpu-0001");
    claim("training");
    Job first = fairlead.submit(job("first", "training"));
    simulated("eu-1").claims().reachedWith(label);
    fairlead.until(first, JobState.SUCCEEDED);

    Job next = fairlead.until(fairlead.submit(job("next", "training")), JobState.SUCCEEDED);
    assertThat(nodeOf(next)).isEqualTo("eu-1-gpu-0001");

    claim("images");
    label = new TreeMap<>();
    label.put("kubernetes.io/hostname", "eu-1-gpu-0000");
    simulated("eu-1").claims().reachedWith(label);
    fairlead.until(fairlead.submit(job("other", "images")), JobState.SUCCEEDED);
    Job both = fairlead.submit(job("both", "training").volume("images"));
    fairlead.pass(Duration.ofSeconds(20));

    assertThat(fairlead.attempts(both)).isEmpty();
    assertThat(reasons(both))
        .satisfies(
            reason(
                "volume-journey.node-reaches-all-volumes",
                "eu-1",
                "kubernetes.io/hostname=eu-1-gpu-0001"));
  }

  @Test
  void unknownVolumeIsRejectedAtSubmit() {
    register("eu-1");

    assertThatThrownBy(() -> fairlead.submit(job("first", "nothing")))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("volume-journey.volume-nothing-claim-fairlead", "nothing"));
  }
}

package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import io.fabric8.kubernetes.api.model.resource.v1beta2.DeviceTaintRule;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Jobs with GPUs by ResourceClaims on kubelets with the Kubernetes example driver
 * (sigs.k8s.io/dra-example-driver).
 */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealClaimsIT {
  private static final int GPUS = 2;

  /** Prints the devices that the driver has named in the environment of its container. */
  private static final String STAYS =
      """
      import os, time
      its = sorted(v for k, v in os.environ.items() if k.startswith("GPU_DEVICE_") and v.startswith("gpu-"))
      print("devices", *its, "of", os.environ["DRA_RESOURCE_DRIVER_NAME"])
      while True: time.sleep(1)
      """;

  private static RunningFairlead service;
  private static RealFairlead real;
  private static RealNodes.Cluster cluster;
  private static RealTraining training;
  private final List<String> jobs = new ArrayList<>();

  @BeforeAll
  static void nodesWithADriver(@TempDir Path keys, @TempDir Path files) throws IOException {
    cluster = RealNodes.withDeviceTaints();
    service = RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"));
    real = RealFairlead.claiming(service, cluster, GPUS);
    training = new RealTraining(real, files);
  }

  @AfterEach
  void allIsWellAgain() {
    for (String job : jobs) {
      real.cancel(job);
      real.reach(job, "CANCELLED");
    }
    RealFairlead.CLAIMING.forEach(real::renew);
    real.publishesAll(GPUS);
  }

  @AfterAll
  static void theServiceEnds() {
    if (service != null) {
      service.close();
    }
  }

  private String runs() {
    String job = real.submit("gpu: 1\npreemption: {gracePeriod: 1s}", STAYS);
    jobs.add(job);
    real.awaitLog(job, "worker-0", "devices");
    proven(job, 1);
    return job;
  }

  /** The member of an attempt once the cluster has reported its GPU. */
  private static JsonNode proven(String job, int attempt) {
    await("GPU of " + job)
        .atMost(RealFairlead.PATIENCE)
        .until(() -> member(job, attempt).path("gpuIdentity").asString("").equals("ENFORCED"));
    return member(job, attempt);
  }

  private static JsonNode member(String job, int attempt) {
    return real.attempt(job, attempt).get("members").get(0);
  }

  private static String gpu(JsonNode member) {
    return member.at("/devices/0/gpu").asString();
  }

  /** Fails when a container gets a device that Fairlead did not choose, or a claim remains. */
  @Test
  void kubeletPreparesTheGpuChosenByFairlead() {
    String job = runs();

    JsonNode member = proven(job, 1);
    assertThat(member.at("/gpus/0/serial").asString()).isEqualTo(gpu(member));
    assertThat(member.at("/devices/0/sources/0").asString()).isEqualTo("RESOURCE_CLAIM");
    String device = real.published(member.get("node").asString()).get(gpu(member));
    assertThat(real.log(job, "worker-0"))
        .contains("devices " + device + " of " + RealFairlead.DRIVER);
    assertThat(real.claims()).hasSize(1);

    real.cancel(job);
    real.reach(job, "CANCELLED");
    await("claims").atMost(RealFairlead.PATIENCE).until(() -> real.claims().isEmpty());
    jobs.clear();
  }

  /** Fails when a GPU that its driver withdraws costs another GPU, or another job its attempt. */
  @Test
  void gpuWithdrawnByItsDriverMovesOnlyItsHolder() {
    List<String> three = List.of(runs(), runs(), runs());
    Map<String, List<String>> holders =
        three.stream().collect(Collectors.groupingBy(job -> real.node(job, 0)));
    String node =
        RealFairlead.CLAIMING.stream()
            .filter(each -> holders.getOrDefault(each, List.of()).size() == GPUS)
            .findFirst()
            .orElseThrow();
    String held =
        holders.get(node).stream()
            .filter(job -> real.published(node).get(gpu(member(job, 1))).equals("gpu-1"))
            .findFirst()
            .orElseThrow();
    String sick = gpu(member(held, 1));
    List<String> others = three.stream().filter(job -> !job.equals(held)).toList();
    List<RealNodes.Container> untouched =
        others.stream()
            .map(job -> cluster.containerOf(real.namespace(), real.pod(job, 0)))
            .toList();

    cluster.publish(node, 1);

    real.awaitAttempt(held, 1, "PREEMPTED");
    JsonNode first = real.attempt(held, 1);
    assertThat(first.get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(first.get("message").asString())
        .satisfies(reason("unhealthy-devices.gpu-of-member", node, sick, "worker-0"));
    real.awaitAttempt(held, 2, "RUNNING");
    assertThat(gpu(proven(held, 2))).isNotEqualTo(sick);
    real.awaitOfferedGpus(node, 1);
    real.awaitNode(node, "ACTIVE");
    assertThat(others).allMatch(job -> real.job(job).get("attempt").asInt() == 1);
    assertThat(untouched).allMatch(cluster::lives);
  }

  /** A job on all GPUs of a node. */
  private String trains() {
    String job =
        real.submit("gpu: %d\n%s".formatted(GPUS, training.fields()), RealTraining.PROGRAM);
    jobs.add(job);
    real.awaitLog(job, "worker-0", "attempt 1 begins");
    proven(job, 1);
    return job;
  }

  private static void assertResumed(String job, String lost) {
    assertThat(real.attempt(job, 1).get("state").asString()).isEqualTo("PREEMPTED");
    real.awaitAttempt(job, 2, "RUNNING");
    real.awaitLog(job, "worker-0", "attempt 2 resumes");
    assertThat(proven(job, 2).get("node").asString()).isNotEqualTo(lost);
    await("released GPUs")
        .atMost(RealFairlead.PATIENCE)
        .until(() ->
            real.claims().stream()
                    .filter(claim -> claim.getStatus() != null)
                    .filter(claim -> claim.getStatus().getAllocation() != null)
                    .count()
                == 1);
  }

  /** Fails when a job gets other GPUs while its first process may still use its own. */
  @Test
  void kubeletThatDiesDuringTheCheckpointDelaysTheRestartUntilItsReturn() throws IOException {
    String held = trains();
    String node = real.node(held, 0);
    RealNodes.Container process = cluster.containerOf(real.namespace(), real.pod(held, 0));

    cluster.publish(node, GPUS - 1);
    training.awaitAsked(held, 1);
    cluster.signal(node, "kubelet", "KILL");
    try {
      training.saves(held);
      await("end").atMost(RealFairlead.PATIENCE).until(() -> !cluster.lives(process));
      await("silence")
          .atMost(RealFairlead.PATIENCE)
          .until(() -> real.job(held).path("unreachable").isObject());
      assertThat(real.job(held).get("attempt").asInt()).isEqualTo(1);
    } finally {
      cluster.start(node, "kubelet");
    }

    real.awaitAttempt(held, 1, "PREEMPTED");
    assertResumed(held, node);
  }

  /** Fails when a job loses its work, or still has GPUs of a spot machine at its end. */
  @Test
  void jobOnASpotMachineCheckpointsAndMovesBeforeTheMachineGoes() throws IOException {
    String held = trains();
    String node = real.node(held, 0);
    RealNodes.Container process = cluster.containerOf(real.namespace(), real.pod(held, 0));

    String _ = cluster.plane().kubectl("taint", "node", node, RealFairlead.SPOT);
    try {
      training.awaitAsked(held, 1);
      training.saves(held);
      real.awaitAttempt(held, 1, "PREEMPTED");
      assertThat(cluster.lives(process)).isFalse();
      assertResumed(held, node);
    } finally {
      cluster.down(node);
      await("slices of the node")
          .atMost(RealFairlead.PATIENCE)
          .until(() -> real.published(node).isEmpty());
      cluster.upWithDriver(node, GPUS);
    }
    assertThat(real.job(held).get("attempt").asInt()).isEqualTo(2);
  }

  private static List<DeviceTaintRule> taints() {
    return cluster.plane().admin().resources(DeviceTaintRule.class).list().getItems();
  }

  /** Another user's pod that claims all GPUs of the node. */
  private static void foreign(String node) {
    cluster
        .plane()
        .apply(
            """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: others, namespace: default}
            spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.example.com, count: %d}}]}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: others, namespace: default}
            spec:
              automountServiceAccountToken: false
              terminationGracePeriodSeconds: 1
              nodeSelector: {kubernetes.io/hostname: %s}
              resourceClaims: [{name: gpus, resourceClaimName: others}]
              containers: [{name: main, image: localhost/job:1, imagePullPolicy: Never, command: [sleep, "3600"], resources: {claims: [{name: gpus}]}}]
            """
                .formatted(GPUS, node));
  }

  private static String waits() {
    return cluster
        .plane()
        .kubectl(
            "get", "pod/others", "-o", "jsonpath={.status.phase} {.status.conditions[*].message}");
  }

  /** Fails when a foreign pod gets a quarantined GPU, or the taint outlives the quarantine. */
  @Test
  void quarantinedGpuIsTaintedForOthersUntilItsRelease() {
    String node = RealFairlead.CLAIMING.getFirst();
    Map.Entry<String, String> sick = real.published(node).entrySet().iterator().next();
    String now = Instant.now().toString();

    real.reports(
        "{\"events\": [{\"id\": \"%1$s\", \"at\": \"%1$s\", \"node\": \"%2$s\", \"gpu\": \"%3$s\", \"xid\": 48}]}"
            .formatted(now, node, sick.getKey()));

    await("taint").atMost(RealFairlead.PATIENCE).until(() -> taints().size() == 1);
    DeviceTaintRule rule = taints().getFirst();
    assertThat(rule.getSpec().getDeviceSelector().getPool()).isEqualTo(node);
    assertThat(rule.getSpec().getDeviceSelector().getDevice()).isEqualTo(sick.getValue());
    assertThat(rule.getSpec().getTaint().getEffect()).isEqualTo("NoSchedule");
    assertThat(rule.getSpec().getTaint().getValue()).startsWith("XID-48");
    foreign(node);
    await("a refusal")
        .atMost(RealFairlead.PATIENCE)
        .until(() -> waits().contains("cannot allocate all claims"));

    real.repaired(node);

    await("no taint").atMost(RealFairlead.PATIENCE).until(() -> taints().isEmpty());
    await("a pod of others")
        .atMost(RealFairlead.PATIENCE)
        .until(() -> waits().startsWith("Running"));
    String _ =
        cluster.plane().kubectl("delete", "pod/others", "resourceclaim/others", "--wait=true");
  }
}

package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A faulty GPU under gangs with GPUs by ResourceClaims, on two kubelets with the example driver of
 * Kubernetes. The gangs train with PyTorch's DistributedDataParallel, started by torchrun.
 */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealClaimedGangIT {
  private static final int GPUS = 4;

  /** The first process saves the step on a checkpoint request, and every few steps. */
  private static final String TRAIN =
      """
      import os, sys, time
      import torch
      import torch.distributed as dist
      place = os.path.join("/training", os.environ["FAIRLEAD_JOB_ID"])
      torch.set_num_threads(1)
      dist.init_process_group("gloo")
      first, size = dist.get_rank() == 0, dist.get_world_size()
      model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
      adam = torch.optim.Adam(model.parameters(), lr=0.1)
      step = int(open(place).read()) if os.path.exists(place) else 0
      print("attempt", os.environ["FAIRLEAD_ATTEMPT"], "resumes" if step else "begins", "with", size, flush=True)
      def save():
          if first:
              open(place + ".new", "w").write(str(step))
              os.replace(place + ".new", place)
      while True:
          time.sleep(0.1)
          step += 1
          loss = (model(torch.rand(32, 4)) ** 2).mean()
          adam.zero_grad(); loss.backward(); adam.step()
          asked = torch.tensor(len(open(os.environ.get("FAIRLEAD_CHECKPOINT_FILE", os.devnull)).read().strip()))
          dist.all_reduce(asked, dist.ReduceOp.MAX)
          if asked or step % 10 == 0: save()
          if asked: sys.exit(0)
      """;

  private static final String STAYS =
      """
      import time
      print("here")
      while True: time.sleep(1)
      """;

  private static RunningFairlead service;
  private static RealFairlead real;
  private static RealNodes.Cluster cluster;
  @TempDir private static Path files;
  private final List<String> jobs = new ArrayList<>();

  @BeforeAll
  static void nodesWithADriver(@TempDir Path keys) throws IOException {
    cluster = RealNodes.withDeviceTaints();
    service = RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"));
    real = RealFairlead.claiming(service, cluster, GPUS, "torch");
    Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.writeString(files.resolve("train.py"), TRAIN);
  }

  @AfterEach
  void allIsWellAgain() {
    jobs.forEach(this::end);
    RealFairlead.CLAIMING.forEach(real::renew);
    real.publishesAll(GPUS);
  }

  @AfterAll
  static void theServiceEnds() {
    if (service != null) {
      service.close();
    }
  }

  private void end(String job) {
    real.cancel(job);
    real.reach(job, "CANCELLED");
  }

  /** A gang of two whose members do not watch each other. */
  private String stays(String fields) {
    String job = real.submit("workers: 2\ngpu: 1\npreemption: {gracePeriod: 1s}\n" + fields, STAYS);
    jobs.add(job);
    real.awaitLog(job, "worker-1", "here");
    proven(job, 1, 2);
    return job;
  }

  /** A gang that trains. An earlier job has created the namespace of the claim. */
  private String trains(int workers, String fields) {
    String job =
        real.submit(
            """
            image: localhost/torch:1
            cpu: 100m
            memory: 768Mi
            shm: 64Mi
            gpu: 1
            workers: %d
            launcher: torchrun
            # torchrun of PyTorch 1.13 cannot read its own defaults of these two under Python 3.11.
            run: [--redirects=1, --tee=1, /training/train.py]
            env: {PYTHONUNBUFFERED: "1"}
            volumes: [{claim: training, mountPath: /training}]
            %s
            """
                .formatted(workers, fields));
    jobs.add(job);
    real.awaitLog(job, "worker-0", "attempt 1 begins with " + workers);
    Path saved = files.resolve(job.substring(job.lastIndexOf('/') + 1));
    await("first save of " + job).atMost(RealFairlead.PATIENCE).until(() -> Files.exists(saved));
    proven(job, 1, workers);
    return job;
  }

  /** UUIDs of a gang's GPUs, once the cluster has reported them all. */
  private List<String> proven(String job, int attempt, int members) {
    await("GPUs of " + job)
        .atMost(RealFairlead.PATIENCE)
        .until(() ->
            members(job, attempt).stream()
                    .filter(each -> each.path("gpuIdentity").asString("").equals("ENFORCED"))
                    .count()
                == members);
    return members(job, attempt).stream().map(RealClaimedGangIT::gpu).toList();
  }

  /** Members that run. */
  private static List<JsonNode> members(String job, int attempt) {
    return real.attempt(job, attempt)
        .get("members")
        .valueStream()
        .filter(member -> member.get("state").asString().equals("RUNNING"))
        .toList();
  }

  private static String gpu(JsonNode member) {
    return member.at("/devices/0/gpu").asString();
  }

  private static List<RealNodes.Container> processes(String job, int members) {
    return IntStream.range(0, members)
        .mapToObj(i -> cluster.containerOf(real.namespace(), real.pod(job, i)))
        .toList();
  }

  /**
   * Fails when the gang does not get a checkpoint request, loses its work, or another gang loses a
   * process.
   */
  @Test
  void gangOfAWithdrawnGpuCheckpointsAndResumesOnAnother() {
    String spare = stays("spread: {level: host, maxPerDomain: 1}");
    real.claim("training", files);
    String other = stays("spread: {level: host, maxPerDomain: 1}");
    String held =
        trains(
            4,
            """
            spread: {level: host, maxPerDomain: 2}
            preemption: {checkpointTimeout: 2m, gracePeriod: 5s}
            """);
    end(spare);
    jobs.remove(spare);
    List<RealNodes.Container> untouched = processes(other, 2);
    JsonNode member =
        members(held, 1).stream()
            .filter(each ->
                Objects.equals(real.published(each.get("node").asString()).get(gpu(each)), "gpu-3"))
            .findFirst()
            .orElseThrow();
    String node = member.get("node").asString();

    cluster.publish(node, GPUS - 1);

    real.awaitAttempt(held, 1, "PREEMPTED");
    JsonNode first = real.attempt(held, 1);
    assertThat(first.get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(first.get("message").asString())
        .satisfies(
            reason(
                "unhealthy-devices.gpu-of-member",
                node,
                gpu(member),
                "worker-" + member.get("index").asInt()));
    assertThat(real.facts(held, "AttemptStopping").getFirst().has("checkpointUntil")).isTrue();
    real.awaitAttempt(held, 2, "RUNNING");
    real.awaitLog(held, "worker-0", "attempt 2 resumes with 4");
    assertThat(proven(held, 2, 4)).doesNotContain(gpu(member)).doesNotHaveDuplicates();
    assertThat(members(held, 2)).extracting(m -> m.get("node").asString()).contains(node);
    assertThat(real.job(other).get("attempt").asInt()).isEqualTo(1);
    assertThat(untouched).hasSize(2).allMatch(cluster::lives);
    real.awaitNode(node, "ACTIVE");
  }

  /** Fails when a fault of one GPU ends the gang, its node or another job. */
  @Test
  void memberOnAFaultyGpuIsReplacedWhileTheOthersContinue() {
    String other = stays("");
    real.claim("training", files);
    String held = trains(3, "gangRepair: {max: 1}\npreemption: {gracePeriod: 5s}");
    List<RealNodes.Container> untouched = processes(other, 2);
    RealNodes.Container head = processes(held, 1).getFirst();
    JsonNode member = real.member(held, 1);
    String node = member.get("node").asString();
    String sick = gpu(member);
    String now = Instant.now().toString();

    real.reports(
        "{\"events\": [{\"id\": \"%1$s\", \"at\": \"%1$s\", \"node\": \"%2$s\", \"gpu\": \"%3$s\", \"xid\": 48}]}"
            .formatted(now, node, sick));

    real.awaitLog(held, "worker-3", "attempt 1 resumes with 3");
    assertThat(proven(held, 1, 3)).doesNotContain(sick);
    JsonNode replacement = members(held, 1).getLast();
    assertThat(replacement.get("index").asInt()).isEqualTo(3);
    assertThat(replacement.get("node").asString()).isNotEqualTo(node);
    assertThat(real.facts(held, "MemberLeaving").getFirst().get("message").asString())
        .contains(sick, "replacement");
    await("the GPU is released")
        .atMost(RealFairlead.PATIENCE)
        .until(() ->
            real.claims().stream()
                    .filter(claim -> claim.getStatus() != null)
                    .filter(claim -> claim.getStatus().getAllocation() != null)
                    .count()
                == 2 + 3);
    assertThat(real.job(held).get("attempt").asInt()).isEqualTo(1);
    assertThat(cluster.lives(head)).isTrue();
    assertThat(untouched).hasSize(2).allMatch(cluster::lives);
    real.awaitNode(node, "ACTIVE");
  }
}

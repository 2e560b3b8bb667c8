package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PodObservationsTest {
  private static final String START = "2030-01-01T00:00:01Z";
  private static final String END = "2030-01-01T00:00:09Z";
  private static final String LATER = "2030-01-01T00:05:00Z";

  static Stream<Arguments> table() {
    return Stream.of(
        row("created", phase("Pending"), MemberState.PENDING, false, null, null),
        row(
            "taken up",
            phase("Pending").withStartTime(START),
            MemberState.PULLING,
            false,
            null,
            null),
        row(
            "pulling",
            waiting("ContainerCreating"),
            MemberState.PULLING,
            false,
            null,
            "ContainerCreating"),
        row(
            "cannot pull",
            waiting("ImagePullBackOff"),
            MemberState.PULLING,
            false,
            null,
            "ImagePullBackOff"),
        row("running", running("Running"), MemberState.RUNNING, true, null, null),
        row(
            "ended well",
            ended("Succeeded", 0, "Completed"),
            MemberState.SUCCEEDED,
            true,
            0,
            "Completed"),
        row(
            "ended, phase to follow",
            ended("Running", 0, "Completed"),
            MemberState.SUCCEEDED,
            true,
            0,
            "Completed"),
        row("exit 1", ended("Failed", 1, "Error"), MemberState.FAILED, true, 1, "Error"),
        row(
            "out of memory",
            ended("Failed", 137, "OOMKilled"),
            MemberState.FAILED,
            true,
            137,
            "OOMKilled"),
        row(
            "evicted by its kubelet",
            ended("Failed", 143, "Error").withReason("Evicted"),
            MemberState.FAILED,
            true,
            143,
            "Evicted"),
        row(
            "past its deadline",
            ended("Failed", 143, "Error").withReason("DeadlineExceeded"),
            MemberState.FAILED,
            true,
            143,
            "DeadlineExceeded"),
        row(
            "drained",
            disrupted(ended("Failed", 143, "Error"), "EvictionByEvictionAPI"),
            MemberState.FAILED,
            true,
            143,
            "Evicted"),
        row(
            "evicted for a taint",
            disrupted(ended("Failed", 143, "Error"), "DeletionByTaintManager"),
            MemberState.FAILED,
            true,
            143,
            "DeletionByTaintManager"),
        row(
            "ended before it was evicted for a taint",
            disrupted(ended("Failed", 5, "Error"), "DeletionByTaintManager", LATER),
            MemberState.FAILED,
            true,
            5,
            "Error"),
        row(
            "evicted for a taint, then ended",
            disrupted(ended("Failed", 143, "Error"), "DeletionByTaintManager", START),
            MemberState.FAILED,
            true,
            143,
            "DeletionByTaintManager"),
        row(
            "lost in a crash, evicted meanwhile",
            disrupted(ended("Failed", 137, "ContainerStatusUnknown"), "DeletionByTaintManager"),
            MemberState.FAILED,
            true,
            137,
            "ContainerStatusUnknown"),
        row(
            "failed on a broken device",
            onDevice(ended("Failed", 1, "Error"), "nvidia.com/mig-1g.5gb", "GPU-0", "Unhealthy"),
            MemberState.FAILED,
            true,
            1,
            "UnhealthyGpu GPU-0"),
        row(
            "failed on a broken device of its claim without a plain name",
            onDevice(ended("Failed", 1, "Error"), "claim:gpus", "a.com/gpu=0", "Unhealthy"),
            MemberState.FAILED,
            true,
            1,
            "UnhealthyGpu"),
        row(
            "failed on a device that is well",
            onDevice(ended("Failed", 1, "Error"), "nvidia.com/gpu", "GPU-0", "Healthy"),
            MemberState.FAILED,
            true,
            1,
            "Error"),
        row(
            "failed on a broken device of another kind",
            onDevice(ended("Failed", 1, "Error"), "claim:gpus2", "nic-0", "Unhealthy"),
            MemberState.FAILED,
            true,
            1,
            "Error"),
        row(
            "runs on a broken device",
            onDevice(running("Running"), "nvidia.com/gpu", "GPU-0", "Unhealthy"),
            MemberState.RUNNING,
            true,
            null,
            "UnhealthyGpu GPU-0"),
        row(
            "runs on a device that is well",
            onDevice(running("Running"), "nvidia.com/gpu", "GPU-0", "Healthy"),
            MemberState.RUNNING,
            true,
            null,
            null),
        row(
            "ended well on a broken device",
            onDevice(ended("Succeeded", 0, "Completed"), "nvidia.com/gpu", "GPU-0", "Unhealthy"),
            MemberState.SUCCEEDED,
            true,
            0,
            "Completed"),
        row(
            "node shut down",
            disrupted(ended("Failed", 143, "Error"), "TerminationByKubelet"),
            MemberState.FAILED,
            true,
            143,
            "Terminated"),
        row(
            "refused by its kubelet",
            phase("Failed").withReason("UnexpectedAdmissionError"),
            MemberState.FAILED,
            false,
            null,
            "UnexpectedAdmissionError"),
        row(
            "no room",
            phase("Failed").withReason("OutOfcpu"),
            MemberState.FAILED,
            false,
            null,
            "OutOfcpu"),
        row("deleted before it started", phase("Failed"), MemberState.FAILED, false, null, null),
        // The garbage collector of a deleted node's pods writes a phase, which proves no death.
        row(
            "collected while running",
            disrupted(running("Failed"), "DeletionByPodGC"),
            MemberState.RUNNING,
            true,
            null,
            null),
        row(
            "collected before it started",
            disrupted(phase("Failed"), "DeletionByPodGC"),
            MemberState.PENDING,
            false,
            null,
            null),
        row(
            "failed phase, container runs",
            running("Failed"),
            MemberState.RUNNING,
            true,
            null,
            null),
        row("nothing known", new PodStatusBuilder(), MemberState.PENDING, false, null, null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("table")
  void podStatusMapsToMemberState(
      String name,
      PodStatusBuilder status,
      MemberState state,
      boolean started,
      Integer exitCode,
      String reason) {
    ObservedMember seen = PodObservations.of(pod(status)).orElseThrow();
    assertThat(seen.state()).isEqualTo(state);
    assertThat(seen.started()).isEqualTo(started);
    assertThat(seen.exitCode()).isEqualTo(exitCode);
    assertThat(seen.reason()).isEqualTo(reason);
    assertThat(seen.deleting()).isFalse();
  }

  /** Fails when the end of the container counts as the release of the pod's resources. */
  @Test
  void endedPodLingersUntilItsKubeletReportsTheSandboxGone() {
    PodStatusBuilder told = ended("Running", 0, "Completed");
    assertThat(lingers(told)).as("a kubelet that does not tell").isFalse();
    assertThat(lingers(sandbox(told, "True"))).isTrue();
    assertThat(lingers(sandbox(told, "False"))).isFalse();
    assertThat(lingers(sandbox(ended("Succeeded", 0, "Completed"), "True"))).isFalse();
    assertThat(lingers(sandbox(running("Running"), "True"))).isFalse();
  }

  /**
   * Fails when the first container by name, or any container other than the job's own, determines
   * the end of the member.
   */
  @Test
  void onlyTheMainContainerDeterminesTheEndOfItsMember() {
    ObservedMember runs = seen(sidecar(running("Running"), ending(3)));
    assertThat(runs.state()).isEqualTo(MemberState.RUNNING);
    assertThat(runs.exitCode()).isNull();
    assertThat(seen(sidecar(phase("Pending"), going())).state()).isEqualTo(MemberState.PENDING);
    ObservedMember failed = seen(sidecar(ended("Failed", 3, "Error"), ending(0)));
    assertThat(failed.exitCode()).isEqualTo(3);
    assertThat(failed.state()).isEqualTo(MemberState.FAILED);
    ObservedMember good = seen(sidecar(ended("Failed", 0, "Completed"), ending(143)));
    assertThat(good.state()).isEqualTo(MemberState.SUCCEEDED);
    ObservedMember evicted =
        seen(sidecar(ended("Failed", 0, "Completed").withReason("Evicted"), ending(143)));
    assertThat(evicted.state()).isEqualTo(MemberState.FAILED);
  }

  /** Fails when a running sidecar holds the capacity of an ended member. */
  @Test
  void podWithOnlySidecarsRunningIsDismissedWithoutAnEviction() {
    PodStatusBuilder status = sidecar(ended("Running", 143, "Error"), going());
    assertThat(seen(status).held()).isEqualTo(ObservedMember.Held.SIDECARS);
    assertThat(seen(sidecar(ended("Failed", 143, "Error"), ending(0))).held())
        .isEqualTo(ObservedMember.Held.NOTHING);

    Pod pod = pod(status);
    pod.getMetadata().setDeletionTimestamp(LATER);
    ObservedMember byOthers = PodObservations.of(pod).orElseThrow();
    assertThat(byOthers.held()).isEqualTo(ObservedMember.Held.SANDBOX);
    assertThat(byOthers.deleting()).isTrue();
    pod.getMetadata().getAnnotations().put(ObjectLabels.DISMISSED, "true");
    assertThat(PodObservations.of(pod).orElseThrow().deleting()).isFalse();
  }

  /** Fails when Fairlead's own release hides that the work was done before the deletion. */
  @Test
  void dismissedPodThatSucceededStillShowsItsOwnEnd() {
    Pod pod = pod(sidecar(ended("Failed", 0, "Completed"), ending(143)));
    pod.getMetadata().setDeletionTimestamp(LATER);
    pod.getMetadata().getAnnotations().put(ObjectLabels.DISMISSED, "true");

    ObservedMember seen = PodObservations.of(pod).orElseThrow();

    assertThat(seen.state()).isEqualTo(MemberState.SUCCEEDED);
    assertThat(seen.deleting()).isFalse();
  }

  /** Fails when it is unknown whether a pod had a checkpoint request before its end. */
  @Test
  void podShowsItsCheckpointRequest() {
    Pod pod = pod(ended("Succeeded", 0, "Completed"));
    assertThat(PodObservations.of(pod).orElseThrow().asked()).isFalse();
    pod.getMetadata().getAnnotations().put(ObjectNames.CHECKPOINT, LATER);
    assertThat(PodObservations.of(pod).orElseThrow().asked()).isTrue();
  }

  /**
   * Fails when a slice or a shared device passes for a whole GPU, or another resource for a GPU.
   */
  @Test
  void podShowsTheGpusOfItsContainer() {
    String gpu = "GPU-5ca9e8b1-0000-4000-8000-000000000001";
    String mig = "MIG-5ca9e8b1-0000-4000-8000-000000000002";
    assertThat(seen(running("Running")).devices()).isEmpty();
    assertThat(shown("nvidia.com/gpu", gpu)).containsExactly(new HeldDevice(gpu, false));
    assertThat(shown("nvidia.com/gpu.shared", gpu + "::3"))
        .containsExactly(new HeldDevice(gpu, true));
    assertThat(shown("nvidia.com/mig-1g.5gb", mig)).isEmpty();
    assertThat(shown("nvidia.com/gpu", mig)).as("strategy single").isEmpty();
    assertThat(shown("example.com/nic", gpu)).isEmpty();
    PodStatusBuilder mixed = onDevice(running("Running"), "nvidia.com/gpu", gpu, "Healthy");
    assertThat(seen(onDevice(mixed, "nvidia.com/gpu", mig, "Healthy")).devices())
        .as("half a list")
        .isEmpty();
    assertThat(seen(onDevice(ended("Failed", 1, "Error"), "nvidia.com/gpu", gpu, "Healthy")))
        .extracting(ObservedMember::devices)
        .isEqualTo(List.of(new HeldDevice(gpu, false)));
  }

  private static List<HeldDevice> shown(String resource, String device) {
    return seen(onDevice(running("Running"), resource, device, "Healthy")).devices();
  }

  private static ObservedMember seen(PodStatusBuilder status) {
    return PodObservations.of(pod(status)).orElseThrow();
  }

  /** A container that the cluster injects, which kubelets list before the job's container. */
  private static PodStatusBuilder sidecar(PodStatusBuilder status, ContainerStateBuilder state) {
    ContainerStatus proxy =
        new ContainerStatusBuilder().withName("istio-proxy").withState(state.build()).build();
    return status.addToContainerStatuses(0, proxy);
  }

  private static ContainerStateBuilder going() {
    return new ContainerStateBuilder().withNewRunning(START);
  }

  private static ContainerStateBuilder ending(int exitCode) {
    return new ContainerStateBuilder().withNewTerminated().withExitCode(exitCode).endTerminated();
  }

  private static PodStatusBuilder sandbox(PodStatusBuilder status, String there) {
    return new PodStatusBuilder(status.build())
        .addNewCondition()
        .withType("PodReadyToStartContainers")
        .withStatus(there)
        .endCondition();
  }

  private static boolean lingers(PodStatusBuilder status) {
    return PodObservations.of(pod(status)).orElseThrow().lingers();
  }

  @Test
  void timesAreReadFromTheContainerStatus() {
    ObservedMember seen = PodObservations.of(pod(ended("Failed", 1, "Error"))).orElseThrow();
    assertThat(seen.startedAt()).isEqualTo(Instant.parse(START));
    assertThat(seen.endedAt()).isEqualTo(Instant.parse(END));
  }

  @Test
  void podWhoseNameDoesNotMatchItsLabelsIsNotOurs() {
    Pod forged = pod(running("Running"));
    forged.getMetadata().getLabels().put("fairlead.dev/index", "1");
    assertThat(PodObservations.of(forged)).isEmpty();
    forged.getMetadata().getLabels().put("fairlead.dev/index", "-1");
    assertThat(PodObservations.of(forged)).isEmpty();
    forged.getMetadata().setLabels(null);
    assertThat(PodObservations.of(forged)).isEmpty();
  }

  @Test
  void podNotBoundByItsSchedulerNeverStartsOnceDeleted() {
    Pod waits =
        new PodBuilder(
                pod(
                    phase("Pending")
                        .addNewCondition()
                        .withType("PodScheduled")
                        .withStatus("False")
                        .withReason("Unschedulable")
                        .endCondition()))
            .editSpec()
            .withNodeName(null)
            .endSpec()
            .build();
    ObservedMember waiting = PodObservations.of(waits).orElseThrow();
    assertThat(waiting.state()).isEqualTo(MemberState.PENDING);
    assertThat(waiting.reason()).isEqualTo("Unschedulable");
    waits.getMetadata().setDeletionTimestamp(END);
    ObservedMember deleted = PodObservations.of(waits).orElseThrow();
    assertThat(deleted.state()).isEqualTo(MemberState.FAILED);
    assertThat(deleted.started()).isFalse();
    waits.getSpec().setNodeName("gpu-0");
    // The kubelet may have started a bound pod, so only the kubelet ends it.
    assertThat(PodObservations.of(waits).orElseThrow().state()).isEqualTo(MemberState.PENDING);
  }

  private static Arguments row(
      String name,
      PodStatusBuilder status,
      MemberState state,
      boolean started,
      Integer exitCode,
      String reason) {
    return Arguments.of(name, status, state, started, exitCode, reason);
  }

  private static Pod pod(PodStatusBuilder status) {
    LaunchOrder order = Orders.single();
    Pod pod =
        ManifestFactory.pod(
            order, order.attempt().members().getFirst(), null, ClusterSettings.DEFAULT, null);
    return new PodBuilder(pod)
        .editMetadata()
        .withUid("uid")
        .endMetadata()
        .withStatus(status.build())
        .build();
  }

  private static PodStatusBuilder phase(String phase) {
    return new PodStatusBuilder().withPhase(phase);
  }

  private static PodStatusBuilder waiting(String reason) {
    return container(phase("Pending"), new ContainerStateBuilder().withNewWaiting(null, reason));
  }

  private static PodStatusBuilder running(String phase) {
    return container(phase(phase), new ContainerStateBuilder().withNewRunning(START));
  }

  private static PodStatusBuilder ended(String phase, int exitCode, String reason) {
    return container(
        phase(phase),
        new ContainerStateBuilder()
            .withNewTerminated()
            .withExitCode(exitCode)
            .withReason(reason)
            .withStartedAt(START)
            .withFinishedAt(END)
            .endTerminated());
  }

  private static PodStatusBuilder container(PodStatusBuilder status, ContainerStateBuilder state) {
    return status
        .addNewContainerStatus()
        .withName("main")
        .withState(state.build())
        .endContainerStatus();
  }

  private static PodStatusBuilder disrupted(PodStatusBuilder status, String reason) {
    return disrupted(status, reason, null);
  }

  private static PodStatusBuilder disrupted(
      PodStatusBuilder status, String reason, @Nullable String since) {
    return status
        .addNewCondition()
        .withType("DisruptionTarget")
        .withStatus("True")
        .withReason(reason)
        .withLastTransitionTime(since)
        .endCondition();
  }

  private static PodStatusBuilder onDevice(
      PodStatusBuilder status, String resource, String device, String health) {
    return status
        .editFirstContainerStatus()
        .addNewAllocatedResourcesStatus()
        .withName(resource)
        .addNewResource()
        .withResourceID(device)
        .withHealth(health)
        .endResource()
        .endAllocatedResourcesStatus()
        .endContainerStatus();
  }
}

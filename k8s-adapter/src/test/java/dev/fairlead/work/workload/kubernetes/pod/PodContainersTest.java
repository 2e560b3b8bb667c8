package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.ContainerSpec;
import dev.fairlead.work.spec.ExtraContainers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.Orders;
import dev.fairlead.work.workload.kubernetes.PodSecurity;
import dev.fairlead.work.workload.kubernetes.node.NodeAmounts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodContainersTest {
  private static final String DIGEST = "sha256:" + "c0de".repeat(16);
  private static final ExtraContainers BOTH =
      new ExtraContainers(
          List.of(container("fetch", 8_000, null, List.of("/workdir", "/tmp"))),
          List.of(container("proxy", 500, 8_080, List.of())));
  private static final RoleSpec ROLE = role();
  private static final LaunchOrder ORDER = order();

  private static ContainerSpec container(
      String name, long cpuMilli, @Nullable Integer port, List<String> mounts) {
    return new ContainerSpec(
        name,
        "registry.example/" + name,
        CommandSpec.shell("echo $HOME"),
        new TreeMap<>(Map.of("A", "$b")),
        cpuMilli,
        512,
        port,
        mounts);
  }

  private static JobSpec coded() {
    return Specs.job("accompanied").gpus(2).workdir(DIGEST).build();
  }

  private static RoleSpec role() {
    RoleSpec plain = coded().roles().getFirst();
    return plain.withExtraContainers(BOTH);
  }

  private static LaunchOrder order() {
    return LaunchOrders.answering(Orders.order(coded().with(List.of(ROLE))), "fla_0");
  }

  private static Pod pod() {
    Pod plain =
        ManifestFactory.pod(
            ORDER,
            ORDER.attempt().members().getFirst(),
            ManifestFactory.anchor(ORDER),
            ClusterSettings.DEFAULT,
            null);
    Pod with =
        CodeContainer.in(
            plain, ORDER, new WorkdirSpec(DIGEST), ClusterSettings.DEFAULT, "python:3");
    return PodContainers.in(with, ORDER, BOTH);
  }

  private static Container named(String name) {
    return pod().getSpec().getInitContainers().stream()
        .filter(container -> container.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Fails when an added container has rights that the job's container does not have. */
  @Test
  void thePodStaysRestricted() throws Exception {
    JsonNode pod = new ObjectMapper().readTree(Serialization.asJson(pod()));
    assertThat(PodSecurity.broken(pod)).isEmpty();
    assertThat(pod().getSpec().getContainers()).hasSize(1);
    for (String name : List.of("fetch", "proxy")) {
      assertThat(named(name).getSecurityContext())
          .isEqualTo(pod().getSpec().getContainers().getFirst().getSecurityContext());
      assertThat(named(name).getResources().getLimits())
          .containsExactlyEntriesOf(Map.of("memory", new Quantity("512Mi")));
    }
  }

  /** Fails when an init container runs without its code, or concurrently with a sidecar. */
  @Test
  void codeContainerComesFirstAndSidecarsComeLast() {
    assertThat(pod().getSpec().getInitContainers())
        .extracting(Container::getName)
        .containsExactly("workdir", "fetch", "proxy");
    assertThat(named("fetch").getRestartPolicy()).isNull();
    assertThat(named("proxy").getRestartPolicy()).isEqualTo("Always");
    assertThat(named("proxy").getStartupProbe().getTcpSocket().getPort().getIntVal())
        .isEqualTo(8_080);
  }

  /** Fails when a member is placed or limited with other amounts than its cluster counts. */
  @Test
  void containerRequestsMatchTheMember() {
    ResourceVector counted = NodeAmounts.asked(pod());
    assertThat(counted.cpuMilli()).isEqualTo(ROLE.memberCpuMilli()).isEqualTo(8_000);
    assertThat(counted.memoryMiB()).isEqualTo(ROLE.memberMemoryMiB()).isEqualTo(2_048 + 512);
  }

  /** Fails when a container sees a volume, a secret or a device that the job did not give it. */
  @Test
  void containerHasOnlyItsMountsAndVariables() {
    assertThat(named("fetch").getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .containsExactlyInAnyOrder("/workdir", "/tmp");
    assertThat(named("proxy").getVolumeMounts()).isEmpty();
    assertThat(named("proxy").getEnv())
        .extracting(EnvVar::getName)
        .contains("A", "HOME", "FAIRLEAD_JOB_ID", "FAIRLEAD_RANK", "NVIDIA_VISIBLE_DEVICES")
        .doesNotContain("FAIRLEAD_WORKDIR");
    assertThat(named("proxy").getEnv()).noneMatch(variable -> variable.getValueFrom() != null);
    assertThat(named("proxy").getEnv())
        .anyMatch(v -> v.getName().equals("A") && v.getValue().equals("$$b"));
    assertThat(named("fetch").getArgs()).containsExactly("echo $$HOME");
  }

  /** Fails when an added container starts with the text of a reference. */
  @Test
  void addedContainersGetTheValuesOfOutputs() {
    String reference = "${outputs.prep.model}";
    ContainerSpec fetch =
        new ContainerSpec(
            "fetch",
            "registry.example/fetch",
            new CommandSpec(List.of("get", reference), List.of(reference), false),
            new TreeMap<>(Map.of("MODEL", reference)),
            500,
            512,
            null,
            List.of());
    ExtraContainers both = new ExtraContainers(List.of(fetch), List.of(fetch));
    List<Container> added =
        PodContainers.in(pod(), LaunchOrders.resolving(ORDER, reference, "$(HOME)"), both)
            .getSpec()
            .getInitContainers()
            .stream()
            .filter(container -> container.getCommand().contains("get"))
            .toList();
    assertThat(added)
        .hasSize(2)
        .allSatisfy(container -> {
          assertThat(container.getCommand()).containsExactly("get", "$$(HOME)");
          assertThat(container.getArgs()).containsExactly("$$(HOME)");
          assertThat(container.getEnv()).contains(PodSpecs.variable("MODEL", "$(HOME)"));
        });
  }

  @Test
  void anOlderClusterRefusesSidecars() {
    assertThat(PodContainers.trouble(BOTH, "v1.28.9+k3s1")).contains("1.29");
    assertThat(PodContainers.trouble(BOTH, "v1.29.0")).isNull();
    assertThat(PodContainers.trouble(BOTH, "")).isNull();
    assertThat(PodContainers.trouble(new ExtraContainers(BOTH.init(), List.of()), "v1.20.1"))
        .isNull();
  }

  private static ObservedMember seen(
      String phase, String name, ContainerState state, ContainerState main) {
    Pod pod =
        new PodBuilder(pod())
            .editMetadata()
            .withUid("uid")
            .endMetadata()
            .withNewStatus()
            .withPhase(phase)
            .addNewInitContainerStatus()
            .withName("workdir")
            .withState(ended(0, "Completed"))
            .endInitContainerStatus()
            .addNewInitContainerStatus()
            .withName(name)
            .withState(state)
            .endInitContainerStatus()
            .addNewContainerStatus()
            .withName("main")
            .withState(main)
            .endContainerStatus()
            .endStatus()
            .build();
    return PodObservations.of(pod).orElseThrow();
  }

  private static ContainerState ended(int exitCode, String reason) {
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(exitCode)
        .withReason(reason)
        .endTerminated()
        .build();
  }

  private static ContainerState waiting(String reason) {
    return new ContainerStateBuilder().withNewWaiting(null, reason).build();
  }

  /** Fails when the end of another container counts as the result of the program. */
  @Test
  void onlyTheProgramDeterminesTheEnd() {
    ContainerState done = ended(0, "Completed");
    ContainerState running = new ContainerStateBuilder().withNewRunning().endRunning().build();

    ObservedMember succeeded = seen("Succeeded", "proxy", ended(137, "Error"), done);
    assertThat(succeeded.state()).isEqualTo(MemberState.SUCCEEDED);
    assertThat(succeeded.reason()).isEqualTo("Completed");
    ObservedMember busy = seen("Running", "proxy", waiting("ImagePullBackOff"), running);
    assertThat(busy.state()).isEqualTo(MemberState.RUNNING);
    assertThat(busy.reason()).isNull();
  }

  @Test
  void failedInitContainerIsNamed() {
    ContainerState waits = waiting("PodInitializing");

    ObservedMember failed = seen("Failed", "fetch", ended(3, "Error"), waits);
    assertThat(failed.state()).isEqualTo(MemberState.FAILED);
    assertThat(failed.reason()).isEqualTo("InitFailed fetch 3");
    assertThat(seen("Failed", "fetch", ended(137, "ContainerStatusUnknown"), waits).reason())
        .isEqualTo("ContainerStatusUnknown");
    assertThat(seen("Pending", "fetch", waiting("ErrImagePull"), waits).reason())
        .isEqualTo("ErrImagePull");
  }
}

package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.GpuComponent.GpuVersion;
import dev.fairlead.fleet.cluster.GpuComponent.Part;
import dev.fairlead.fleet.cluster.GpuComponent.State;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterGateway;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The report of Fairlead about the GPU stack on a real API server. */
@OnControlPlane
class GpuStackIT {
  private static final String NAMESPACE = "gpu-stack";

  /** Matches no node, so that its pods do not block others. */
  private static final String SET =
      """
      apiVersion: apps/v1
      kind: DaemonSet
      metadata:
        name: %1$s
        namespace: gpu-stack
        labels: {app.kubernetes.io/managed-by: gpu-operator, helm.sh/chart: gpu-operator-v25.3.0}
      spec:
        selector: {matchLabels: {app: %1$s}}
        template:
          metadata: {labels: {app: %1$s}}
          spec:
            nodeSelector: {gpu-stack: nowhere}
            containers: [{name: %1$s, image: "%2$s"}]
      ---
      """;

  /** With the required rights only. */
  private static final String ACCOUNT =
      """
      apiVersion: v1
      kind: ServiceAccount
      metadata: {name: without, namespace: fairlead-system}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: fairlead-without}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: fairlead}
      subjects: [{kind: ServiceAccount, name: without, namespace: fairlead-system}]
      """;

  private final TestCluster cluster = KubernetesCluster.shared();
  private final Installation installation =
      new Installation(
          new UUID(ThreadLocalRandom.current().nextLong(), ThreadLocalRandom.current().nextLong()),
          1);

  @BeforeEach
  void aStackOfTheOperatorOnThreeNodes() {
    ForeignPods.namespace(cluster, NAMESPACE);
    cluster.nodes("stack", 3, 2, 1);
    label("stack-0000", "570.124.06");
    label("stack-0001", "570.124.06");
    label("stack-0002", "550.90.07");
    cluster.apply(
        SET.formatted("nvidia-device-plugin-daemonset", "nvcr.io/nvidia/k8s-device-plugin:v0.17.1")
            + SET.formatted("gpu-feature-discovery", "nvcr.io/nvidia/k8s-device-plugin:v0.17.1")
            + SET.formatted(
                "nvidia-dcgm-exporter", "nvcr.io/nvidia/k8s/dcgm-exporter:4.2.3-4.1.3-ubuntu22.04")
            + SET.formatted("something-else", "registry.example.com:5000/team/exporter"));
  }

  @AfterEach
  void away() {
    cluster.admin().apps().daemonSets().inNamespace(NAMESPACE).delete();
    for (String node : List.of("stack-0000", "stack-0001", "stack-0002")) {
      cluster.admin().nodes().withName(node).delete();
    }
  }

  private void label(String node, String driver) {
    cluster.patch(
        node,
        "{\"metadata\":{\"labels\":{\"nvidia.com/cuda.driver-version.full\":\"%s\",\"nvidia.com/gfd.timestamp\":\"1\"}}}"
            .formatted(driver));
  }

  /** As an account sees it. */
  private List<GpuComponent> stack(String account) {
    try (ClusterGateway gateway =
        RealCluster.connect(installation, RealCluster.connection(cluster.kubeconfig(account)))) {
      RealCluster.eventually(
          "the stack was looked at", () -> !gateway.capabilities().gpuStack().isEmpty());
      return gateway.capabilities().gpuStack();
    }
  }

  private static GpuComponent of(Part part, List<GpuComponent> stack) {
    return stack.stream().filter(each -> each.part() == part).findFirst().orElseThrow();
  }

  /**
   * Fails when a component is not recognised, or nodes with different drivers are not
   * distinguished.
   */
  @Test
  void eachPartIsReportedWithItsVersionsAndMissingPartsAreAbsent() {
    List<GpuComponent> stack = stack("fairlead");

    assertThat(of(Part.DRIVER, stack).versions())
        .contains(new GpuVersion("570.124.06", 2), new GpuVersion("550.90.07", 1));
    assertThat(of(Part.GPU_OPERATOR, stack).versions())
        .containsExactly(new GpuVersion("v25.3.0", 0));
    for (Part part : List.of(Part.DEVICE_PLUGIN, Part.FEATURE_DISCOVERY)) {
      assertThat(of(part, stack).versions())
          .as(part.name())
          .containsExactly(new GpuVersion("v0.17.1", 0));
    }
    assertThat(of(Part.DCGM_EXPORTER, stack).versions())
        .containsExactly(new GpuVersion("4.2.3-4.1.3-ubuntu22.04", 0));
    assertThat(of(Part.NODE_PROBLEM_DETECTOR, stack).state()).isEqualTo(State.ABSENT);
    assertThat(of(Part.CONTAINER_TOOLKIT, stack).state()).isEqualTo(State.ABSENT);
  }

  /**
   * Fails when a component without read access is reported as absent, or the missing right is not
   * named.
   */
  @Test
  void withoutOptionalRightsTheStackIsUnknownAndTheRightIsNamed() {
    cluster.apply(ACCOUNT);

    List<GpuComponent> stack = stack("without");

    for (Part part :
        List.of(
            Part.CONTAINER_TOOLKIT,
            Part.DEVICE_PLUGIN,
            Part.DCGM_EXPORTER,
            Part.NODE_PROBLEM_DETECTOR)) {
      assertThat(of(part, stack))
          .isEqualTo(GpuComponent.unknown(part, "may not list daemonsets.apps"));
    }
    assertThat(of(Part.GPU_OPERATOR, stack))
        .isEqualTo(
            GpuComponent.unknown(Part.GPU_OPERATOR, "may not list clusterpolicies.nvidia.com"));
    assertThat(of(Part.DRIVER, stack).state()).isEqualTo(State.PRESENT);
    assertThat(of(Part.FEATURE_DISCOVERY, stack).state())
        .as("its labels tell")
        .isEqualTo(State.PRESENT);
  }
}

package dev.fairlead.fleet.cluster.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.FieldProblem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DevicesRequestTest {
  private final FieldProblems problems = new FieldProblems();

  private PodDevices read(String cluster) throws IOException {
    String yaml = "{" + cluster + "}";
    return BodyBinder.read(
            BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .value(problems),
            UpdateClusterRequest.class)
        .orElseThrow()
        .settings()
        .devices();
  }

  @Test
  void podsRequestExtendedResourcesByDefault() throws IOException {
    assertThat(read("scoring: SPREAD")).isEqualTo(PodDevices.EXTENDED_RESOURCE);
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void driverDefaultsToTheNameOfTheClass() throws IOException {
    assertThat(read("devices: {kind: DRA, deviceClass: gpu.nvidia.com}"))
        .isEqualTo(PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com"));
    assertThat(read("devices: {kind: DRA, deviceClass: whole, driver: gpu.nvidia.com}"))
        .isEqualTo(PodDevices.claimed("whole", "gpu.nvidia.com"));
    assertThat(problems.all()).isEmpty();
  }

  /** Fails when a patch of another field ends the claims of slices. */
  @Test
  void classOfSlicesIsRetainedByAPatchOfAnotherField() throws IOException {
    PodDevices both =
        read("devices: {kind: DRA, deviceClass: gpu.nvidia.com, migDeviceClass: mig.nvidia.com}");
    assertThat(both.classes()).containsExactly("gpu.nvidia.com", "mig.nvidia.com");
    assertThat(DevicesRequest.of(both)).containsEntry("migDeviceClass", "mig.nvidia.com");
    assertThat(problems.all()).isEmpty();
  }

  /** Fails when claims apply to all nodes after a patch of another field. */
  @Test
  void labelsOfNodesWithClaimsAreRetainedByAPatchOfAnotherField() throws IOException {
    PodDevices some =
        read("devices: {kind: DRA, deviceClass: gpu.nvidia.com, nodes: {example.com/pool: new}}");
    assertThat(some.claimsOn(Map.of("example.com/pool", "new", "other", "x"))).isTrue();
    assertThat(some.claimsOn(Map.of("example.com/pool", "old"))).isFalse();
    assertThat(DevicesRequest.of(some)).containsEntry("nodes", some.nodes());
    assertThat(problems.all()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{deviceClass: gpu.nvidia.com} | /devices/kind",
        "{kind: CLAIMS} | /devices/kind",
        "{kind: DRA} | /devices/deviceClass",
        "{kind: DRA, deviceClass: 'two words'} | /devices/deviceClass",
        "{kind: DRA, deviceClass: gpu.nvidia.com, driver: 'a\"b'} | /devices/driver",
        "{kind: EXTENDED_RESOURCE, deviceClass: gpu.nvidia.com} | /devices/deviceClass",
        "{kind: EXTENDED_RESOURCE, driver: gpu.nvidia.com} | /devices/driver",
        "{kind: EXTENDED_RESOURCE, migDeviceClass: mig.nvidia.com} | /devices/migDeviceClass",
        "{kind: DRA, deviceClass: gpu.nvidia.com, migDeviceClass: 'a b'} | /devices/migDeviceClass",
        "{kind: EXTENDED_RESOURCE, nodes: {pool: new}} | /devices/nodes",
        "{kind: DRA, deviceClass: gpu.nvidia.com, nodes: [pool]} | /devices/nodes",
        "{kind: DRA, deviceClass: gpu.nvidia.com, nodes: {pool: 'a b'}} | /devices/nodes/pool",
        "{kind: DRA, deviceClass: gpu.nvidia.com, nodes: {'a b': new}} | /devices/nodes/a b",
        "{kind: DRA, deviceClass: gpu.nvidia.com, nodes: {fairlead.dev/pool: new}} | /devices/nodes",
        "{kind: DRA, deviceClass: gpu.nvidia.com, nodes: {feature.node.kubernetes.io/x: a}} | /devices/nodes",
        "{kind: DRA, deviceClass: gpu.nvidia.com, class: a} | /devices/class"
      })
  void invalidFieldIsRejectedWithItsPath(String devices, String pointer) throws IOException {
    read("devices: " + devices);

    assertThat(problems.all()).extracting(FieldProblem::pointer).contains(pointer);
  }

  /**
   * Fails when a claim for GPUs of one node is given to a scheduler that may choose another node.
   */
  @Test
  void claimsAreRefusedWhereAnotherSchedulerChoosesTheNodes() throws IOException {
    read(
        "nodeLabelsAndTaints: POOL_AND_QUARANTINE, backend: {kind: KUBE_SCHEDULER}, "
            + "devices: {kind: DRA, deviceClass: gpu.nvidia.com}");

    assertThat(problems.all()).extracting(FieldProblem::pointer).containsExactly("/devices");
  }
}

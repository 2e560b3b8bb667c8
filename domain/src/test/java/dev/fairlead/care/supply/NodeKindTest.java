package dev.fairlead.care.supply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Comparison of a node with the requested kind: 64 cores, 512 GiB, 8 H100 of 81559 MiB. */
class NodeKindTest {
  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));

  private Optional<String> difference(long cpus, long gib, long gpuMemoryMiB, String... label) {
    SortedMap<String, String> labels = new TreeMap<>();
    for (String key : label) {
      labels.put(key, "yes");
    }
    ResourceVector offers = ResourceVector.of(cpus * 1000, gib * 1024, 8_000, 1_000);
    NodeKind kind = new NodeKind("H100", 8, gpuMemoryMiB, CapacityType.RESERVED, offers, labels);
    return kind.difference(node(NodeReports.node("new").build()), world.cluster());
  }

  private Node node(NodeReport report) {
    world.report(report);
    return world.node("new");
  }

  @Test
  void nodeWithAtLeastTheRequestedResourcesMatches() {
    assertThat(difference(64, 512, 81_559)).isEmpty();
    assertThat(difference(8, 64, 0)).isEmpty();
  }

  // Fails when a node is accepted that is too small for its job.
  @Test
  void nodeWithFewerResourcesDoesNotMatch() {
    assertThat(difference(65, 512, 0)).hasValue("has cpu 64 for pods, not cpu 65");
    assertThat(difference(64, 600, 0)).hasValue("has memory 512Gi for pods, not memory 600Gi");
    assertThat(difference(64, 512, 90_000)).hasValue("has GPUs of 81559 MiB, not of 90000 MiB");
    assertThat(difference(64, 512, 0, "team")).hasValue("has no label team=yes");
  }

  // Fails when a node is accepted that no job tolerates.
  @Test
  void nodeWithAForeignTaintIsOfAnotherKind() {
    NodeKind kind =
        new NodeKind("H100", 8, 0, CapacityType.RESERVED, ResourceVector.ZERO, new TreeMap<>());
    Cluster cluster = world.cluster();

    assertThat(kind.difference(node(NodeReports.node("new").outOfService().build()), cluster))
        .hasValueSatisfying(why -> assertThat(why).contains("node.kubernetes.io/out-of-service"));
    assertThat(kind.difference(node(NodeReports.node("new").leaving().build()), cluster)).isEmpty();
  }
}

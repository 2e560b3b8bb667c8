package dev.fairlead.fleet.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** GPUs of nodes that are repaired, rebooted or renamed while one of them is quarantined. */
class ExchangedGpusTest {
  private static final ClusterId CLUSTER = new ClusterId(new UUID(0, 1));
  private static final String SICK = uuid(1);

  private static String uuid(int gpu) {
    return "GPU-00000000-0000-0000-0000-00000000000" + gpu;
  }

  private static NodeReport report(String node, String... gpus) {
    return NodeReports.node(node).devices(gpus).build();
  }

  private static Node fresh(NodeReport report) {
    return NodeTransition.fresh(new NodeId(new UUID(0, 2)), CLUSTER, report, SICK::equals);
  }

  private static Node next(Node node, String... gpus) {
    return NodeTransition.reported(
        node, report(node.name(), gpus), Cordon.NONE, false, SICK::equals);
  }

  private final Node node = fresh(report("n0", uuid(0), SICK, uuid(2)));

  /** Fails when the quarantine of a GPU excludes the GPU that now has its number. */
  @Test
  void quarantineFollowsItsGpuWhenANodeRenumbersItsGpusAfterAReboot() {
    assertThat(next(node, uuid(2), uuid(0), SICK).gpus())
        .extracting(Gpu::serial, Gpu::state)
        .containsExactlyInAnyOrder(
            tuple(uuid(0), GpuState.HEALTHY),
            tuple(SICK, GpuState.QUARANTINED),
            tuple(uuid(2), GpuState.HEALTHY));
  }

  /** Fails when a new board inherits the quarantine of the board that it replaces. */
  @Test
  void newBoardInTheSlotOfAQuarantinedGpuTakesWork() {
    assertThat(next(node, uuid(0), uuid(7), uuid(2)).gpus())
        .extracting(Gpu::index, Gpu::serial, Gpu::state)
        .contains(tuple(1, uuid(7), GpuState.HEALTHY));
  }

  /** Fails when a quarantined GPU takes work because its machine has another name. */
  @Test
  void quarantineFollowsItsGpuToARenamedNode() {
    assertThat(fresh(report("renamed", uuid(0), SICK)).gpus())
        .extracting(Gpu::serial, Gpu::state)
        .containsExactly(tuple(uuid(0), GpuState.HEALTHY), tuple(SICK, GpuState.QUARANTINED));
  }
}

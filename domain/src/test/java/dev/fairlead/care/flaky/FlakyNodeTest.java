package dev.fairlead.care.flaky;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairState;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FlakyNodeTest {
  private static final Instant NOW = Instant.parse("2030-03-01T00:00:00Z");
  private static final ClusterId EU = new ClusterId(new UUID(0, 1));

  private static Incident fault(int node, String cause, @Nullable String gpu, Instant at) {
    return new Incident(
        new IncidentId(new UUID(1, node)),
        EU,
        new NodeId(new UUID(2, node)),
        "gpu-" + node,
        gpu,
        null,
        79,
        cause,
        FaultScope.NODE,
        RepairStep.REBOOT,
        at,
        at,
        1,
        "",
        at);
  }

  private static Repair repair(int node, Instant done, boolean really) {
    return new Repair(
        new RepairId(new UUID(3, node)),
        EU,
        new NodeId(new UUID(2, node)),
        "gpu-" + node,
        new IncidentId(new UUID(1, node)),
        "XID 79",
        RepairStep.REBOOT,
        RepairState.ENDED,
        "",
        null,
        done,
        done,
        List.of(new Repair.StepTaken(RepairStep.REBOOT, done, done, really, "olga")),
        done,
        1);
  }

  private static PlaceFailure attempt(int node) {
    return new PlaceFailure(
        new JobId(new UUID(4, 1)),
        0,
        new NodeId(new UUID(2, node)),
        FailureCause.NODE_FAILURE,
        NOW,
        NOW,
        null,
        null);
  }

  private static FlakyNode.Part part(FlakyNode.Kind kind, int times, int points) {
    return new FlakyNode.Part(kind, times, points);
  }

  /** Fails when a part is omitted, counted twice, or not explained. */
  @Test
  void pointsAreExplainedByTheirParts() {
    List<FlakyNode> flakyNodes =
        FlakyNode.of(
            List.of(
                fault(1, "XID 79", "GPU-a", NOW.minusSeconds(60)),
                fault(1, "XID 79", "GPU-a", NOW.minusSeconds(50)),
                fault(1, "test dcgm failed: exit code 3", null, NOW.minusSeconds(40)),
                fault(2, "XID 79", "GPU-b", NOW.minusSeconds(40))),
            List.of(repair(1, NOW.minusSeconds(30), true)),
            List.of(attempt(1), attempt(3)),
            NOW);

    assertThat(flakyNodes).extracting(FlakyNode::name).containsExactly("gpu-1", "gpu-2");
    assertThat(flakyNodes.getFirst().parts())
        .containsExactly(
            part(FlakyNode.Kind.FAULT, 2, 4),
            part(FlakyNode.Kind.TEST, 1, 3),
            part(FlakyNode.Kind.REPAIR, 1, 2),
            part(FlakyNode.Kind.ATTEMPT, 1, 1));
    assertThat(flakyNodes.getFirst().points()).isEqualTo(10);
    assertThat(flakyNodes.getFirst().flakyNode()).isTrue();
    assertThat(flakyNodes.getFirst().gpus())
        .containsExactly(new FlakyNode.Device("GPU-a", null, 4));
    assertThat(flakyNodes.getLast().flakyNode()).isFalse();
  }

  /** Fails when an old or skipped repair counts. */
  @Test
  void oldOrUnfinishedRunsAreIgnored() {
    Instant old = NOW.minus(FlakyNode.WINDOW).minusSeconds(1);
    assertThat(
            FlakyNode.of(
                List.of(fault(1, "XID 79", null, old)),
                List.of(repair(1, old, true), repair(1, NOW, false)),
                List.of(),
                NOW))
        .isEmpty();
  }

  @Test
  void fiveRepairsMakeAFlakyNode() {
    Repair repair = repair(1, NOW.minusSeconds(30), true);
    assertThat(flakyNode(repair, 4)).isFalse();
    assertThat(flakyNode(repair, 5)).isTrue();
  }

  private static boolean flakyNode(Repair repair, int times) {
    return FlakyNode.of(List.of(), Collections.nCopies(times, repair), List.of(), NOW)
        .getFirst()
        .flakyNode();
  }
}

package dev.fairlead.care.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.Taint;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSignTableTest {
  private static final Instant SINCE = Instant.parse("2026-03-01T12:00:00Z");
  private static final NodeSignTable TABLE = NodeSignTable.CURRENT;

  private static NodeCondition condition(String type, String status) {
    return new NodeCondition(type, status, "", SINCE);
  }

  /** Fails when a silent agent with the status Unknown counts as a fault. */
  @Test
  void onlyTheBadStatusOfAKnownConditionIsAFault() {
    List<NodeCondition> faults =
        TABLE.faults(
            List.of(
                condition("XIDErrors", "True"),
                condition("GPUMissing", "False"),
                condition("AcceleratedHardwareReady", "False"),
                condition("AcceleratedInstanceReady", "Unknown"),
                condition("VMEventScheduled", "True"),
                condition("Ready", "False")));
    assertThat(faults)
        .extracting(NodeCondition::type)
        .containsExactly("AcceleratedHardwareReady", "XIDErrors");
  }

  @Test
  void aSpotNoticeHasItsDeadlineWhereTheTaintHasATime() {
    Taint itn = new Taint("aws-node-termination-handler/spot-itn", "spot-itn-7", "NoSchedule");
    assertThat(TABLE.withLeaving(List.of(itn), Map.of(itn, SINCE), List.of()))
        .containsExactly(itn, new Taint(Taint.LEAVING, "2026-03-01T12:02:00Z", "NoSchedule"));
    assertThat(TABLE.withLeaving(List.of(itn), Map.of(), List.of()))
        .contains(new Taint(Taint.LEAVING, "", "NoSchedule"));
    Taint other = new Taint("team", "a", "NoSchedule");
    assertThat(TABLE.withLeaving(List.of(other), Map.of(), List.of())).containsExactly(other);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "condition,A,True,node,REBOOT,yes,,means",
        "label,A,True,node,REBOOT,yes,,means,source",
        "condition,A,True,gpu,REBOOT,yes,,means,source",
        "condition,A,True,node,PRAY,yes,,means,source",
        "condition,A,True,node,REBOOT,perhaps,,means,source",
        "condition,A,True,node,REBOOT,yes,soon,means,source"
      })
  void aRowThatIsNoneIsRefused(String row) {
    assertThatThrownBy(() -> NodeSignTable.parse("names\n" + row))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

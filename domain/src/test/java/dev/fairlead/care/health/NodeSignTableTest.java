package dev.fairlead.care.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeCondition;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.Taint;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeSignTableTest {
  private static final Instant SINCE = Instant.parse("2026-03-01T12:00:00Z");
  private static final NodeSignTable TABLE = NodeSignTable.CURRENT;
  private static final SortedMap<String, String> NONE = Collections.emptySortedMap();

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

  private static NodeNotice notice(Taint taint, SortedMap<String, String> labels) {
    return read(List.of(taint), Map.of(), labels, List.of()).orElseThrow();
  }

  private static Optional<NodeNotice> read(
      List<Taint> taints,
      Map<Taint, Instant> since,
      SortedMap<String, String> labels,
      List<NodeCondition> conditions) {
    return NodeNotice.of(TABLE.withNotice(taints, since, labels, conditions));
  }

  private static Taint taint(String key, String value) {
    return new Taint(key, value, "NoSchedule");
  }

  @Test
  void spotNoticeHasADeadlineIfItsTaintHasATime() {
    Taint itn = taint("aws-node-termination-handler/spot-itn", "spot-itn-7");
    assertThat(TABLE.withNotice(List.of(itn), Map.of(itn, SINCE), NONE, List.of()))
        .contains(itn, taint(Taint.LEAVING, "2026-03-01T12:02:00Z"));
    assertThat(TABLE.withNotice(List.of(itn), Map.of(), NONE, List.of()))
        .contains(itn, taint(Taint.LEAVING, ""));
    Taint other = taint("team", "a");
    assertThat(TABLE.withNotice(List.of(other), Map.of(), NONE, List.of())).containsExactly(other);
  }

  /** Fails when a taint without a time ignores the label that has the time. */
  @Test
  void terminationHandlerLabelIsTheTimeOfItsTaint() {
    SortedMap<String, String> labels =
        new TreeMap<>(
            Map.of("aws-node-termination-handler/action-time", "" + SINCE.getEpochSecond()));
    NodeNotice spot = notice(taint("aws-node-termination-handler/spot-itn", "id"), labels);
    assertThat(spot.kind()).isEqualTo(NodeNotice.Kind.SPOT);
    assertThat(spot.deadline()).isEqualTo(SINCE.plusSeconds(120));
    NodeNotice advice =
        notice(taint("aws-node-termination-handler/rebalance-recommendation", "id"), labels);
    assertThat(advice.kind()).isEqualTo(NodeNotice.Kind.REBALANCE);
    assertThat(advice.deadline()).isEqualTo(SINCE.plusSeconds(600));
  }

  @Test
  void valueOfATaintOrLabelIsItsStartOrDeadline() {
    String seconds = "" + SINCE.getEpochSecond();
    NodeNotice scaled = notice(taint("ToBeDeletedByClusterAutoscaler", seconds), NONE);
    assertThat(scaled.kind()).isEqualTo(NodeNotice.Kind.SCALE_DOWN);
    assertThat(scaled.deadline()).isEqualTo(SINCE.plusSeconds(600));
    assertThat(notice(taint(Taint.LEAVING, seconds), NONE).deadline()).isEqualTo(SINCE);

    SortedMap<String, String> labels =
        new TreeMap<>(Map.of("cloud.google.com/scheduled-maintenance-time", seconds));
    NodeNotice maintained = read(List.of(), Map.of(), labels, List.of()).orElseThrow();
    assertThat(maintained.kind()).isEqualTo(NodeNotice.Kind.MAINTENANCE);
    assertThat(maintained.deadline()).isEqualTo(SINCE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-1", "99999999999999999999", "2026-03-01T12:00:00Z"})
  void invalidTimeLeavesTheDeadlineOpen(String value) {
    assertThat(notice(taint("ToBeDeletedByClusterAutoscaler", value), NONE).deadline()).isNull();
    assertThat(notice(taint(Taint.LEAVING, value), NONE).deadline()).isNull();
  }

  /** Fails when every idle node of an autoscaled pool refuses work. */
  @Test
  void deletionCandidateIsNotTreatedAsANotice() {
    Taint candidate = new Taint("DeletionCandidateOfClusterAutoscaler", "1", "PreferNoSchedule");
    assertThat(TABLE.withNotice(List.of(candidate), Map.of(), NONE, List.of()))
        .containsExactly(candidate);
  }

  @ParameterizedTest
  @CsvSource({
    "Freeze is scheduled,FREEZE,900",
    "RebootScheduled,MAINTENANCE,900",
    "Redeploy,MAINTENANCE,600",
    "TerminateScheduled,SCALE_DOWN,300",
    "PreemptScheduled,SPOT,30",
    "something,MAINTENANCE,600"
  })
  void kindOfAnAzureEventIsReadFromItsReasonOrMessage(
      String message, NodeNotice.Kind kind, int seconds) {
    String reason = TABLE.reason("VMEventScheduled", "VMEventScheduled", message);
    NodeCondition shown = new NodeCondition("VMEventScheduled", "True", reason, SINCE);
    NodeNotice notice = read(List.of(), Map.of(), NONE, List.of(shown)).orElseThrow();
    assertThat(notice.kind()).isEqualTo(kind);
    assertThat(notice.deadline()).isEqualTo(SINCE.plusSeconds(seconds));
    assertThat(TABLE.reason("GPUMissing", "Why", message)).isEqualTo("Why");
  }

  /** Fails when a pause or a later end hides the sooner one. */
  @Test
  void soonestEndOfSeveralNoticesCounts() {
    Taint itn = taint("aws-node-termination-handler/spot-itn", "id");
    Taint scaled = taint("ToBeDeletedByClusterAutoscaler", "" + SINCE.getEpochSecond());
    NodeCondition freeze = new NodeCondition("VMEventScheduled", "True", "Freeze", SINCE);
    assertThat(read(List.of(scaled, itn), Map.of(itn, SINCE), NONE, List.of(freeze)))
        .map(NodeNotice::kind)
        .contains(NodeNotice.Kind.SPOT);
  }

  /** Fails when a maintenance next month hides a spot interruption without a time. */
  @Test
  void distantDeadlineDoesNotHideANoticeWithoutATime() {
    SortedMap<String, String> labels =
        new TreeMap<>(
            Map.of("cloud.google.com/scheduled-maintenance-time", "" + SINCE.getEpochSecond()));
    Taint ending = taint("cloud.google.com/impending-node-termination", "");
    List<Taint> read = TABLE.withNotice(List.of(ending), Map.of(), labels, List.of());
    assertThat(NodeNotice.all(read))
        .extracting(NodeNotice::kind)
        .containsExactly(NodeNotice.Kind.SPOT, NodeNotice.Kind.MAINTENANCE);
  }

  /** Fails when a GPU machine under maintenance has the half minute of a spot machine. */
  @Test
  void gkeTerminationWithTheMaintenanceLabelIsAMaintenance() {
    Taint ending = taint("cloud.google.com/impending-node-termination", "");
    assertThat(notice(ending, NONE).kind()).isEqualTo(NodeNotice.Kind.SPOT);
    SortedMap<String, String> labels =
        new TreeMap<>(Map.of("cloud.google.com/active-node-maintenance", "ONGOING"));
    NodeNotice maintained = notice(ending, labels);
    assertThat(maintained.kind()).isEqualTo(NodeNotice.Kind.MAINTENANCE);
    assertThat(maintained.within()).isEqualTo(NodeNotice.Kind.MAINTENANCE.within());
  }

  /** Fails when a client that may set taints can forge a notice of Fairlead. */
  @Test
  void lookalikeTaintIsNotAFairleadNotice() {
    Taint forged = taint(NodeNotice.KEY, "SPOT 2026-03-01T12:00:00Z me now");
    assertThat(TABLE.withNotice(List.of(forged), Map.of(), NONE, List.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "condition,A,True,node,REBOOT,yes,,,,means",
        "annotation,A,True,node,REBOOT,yes,,,,means,source",
        "condition,A,True,gpu,REBOOT,yes,,,,means,source",
        "condition,A,True,node,PRAY,yes,,,,means,source",
        "condition,A,True,node,REBOOT,perhaps,,,,means,source",
        "condition,A,True,node,REBOOT,yes,,,soon,means,source",
        "condition,A,True,leaving,NONE,yes,LUNCH,,,means,source",
        "taint,A,,leaving,NONE,yes,SPOT,,,means,source\ntaint,A,,leaving,NONE,yes,SPOT,,,m,s",
        "condition,A,T,node,NONE,yes,,,,means,source\ncondition,A,T,node,NONE,yes,,,,m,s"
      })
  void invalidRowIsRejected(String row) {
    assertThatThrownBy(() -> NodeSignTable.parse("names\n" + row))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

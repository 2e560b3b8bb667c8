package dev.fairlead.fleet.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeLabelsAndTaintsTest {
  private static final NodeLabelsAndTaints DAY = new NodeLabelsAndTaints("day", null);

  /** Fails when a node is patched that is up to date, or retains outdated labels and taints. */
  @Test
  void onlyNodesWithADifferenceAreDue() {
    NodeLabelsAndTaints sick = new NodeLabelsAndTaints("day", "XID-79");
    assertThat(
            NodeLabelsAndTaints.due(
                Map.of("new", DAY, "shown", DAY, "sick", sick, "not-there", DAY),
                List.of(
                    NodeReports.node("new").build(),
                    NodeReports.node("shown").labelsAndTaints(DAY).build(),
                    NodeReports.node("sick").labelsAndTaints(DAY).build(),
                    NodeReports.node("left").labelsAndTaints(DAY).build(),
                    NodeReports.node("plain").build())))
        .isEqualTo(Map.of("new", DAY, "sick", sick, "left", NodeLabelsAndTaints.NONE));
  }

  /** Fails when a deleted node is patched repeatedly. */
  @Test
  void deletedMachineShowsNothing() {
    assertThat(
            NodeLabelsAndTaints.due(
                Map.of("gone", DAY), List.of(NodeReports.node("gone").machineGone().build())))
        .isEmpty();
  }

  /** Fails when a GPU without its taint, or with an outdated one, is not due, or a lost one is. */
  @Test
  void aNodeIsDueForTheTaintsOfItsReportedAndTaintedGpus() {
    NodeLabelsAndTaints sick =
        NodeLabelsAndTaints.NONE.withGpus(
            new TreeMap<>(Map.of("sick/0", "XID-79", "sick/9", "XID-48")));
    NodeLabelsAndTaints reported =
        NodeLabelsAndTaints.NONE.withGpus(new TreeMap<>(Map.of("sick/0", "XID-79")));
    NodeReport node = NodeReports.node("sick").gpus(8).build();
    assertThat(NodeLabelsAndTaints.due(Map.of("sick", sick), List.of(node)))
        .isEqualTo(Map.of("sick", reported));
    assertThat(
            NodeLabelsAndTaints.due(
                Map.of("sick", sick), List.of(node.withLabelsAndTaints(reported))))
        .isEmpty();
    assertThat(NodeLabelsAndTaints.due(Map.of(), List.of(node.withLabelsAndTaints(sick))))
        .isEqualTo(Map.of("sick", NodeLabelsAndTaints.NONE));
  }

  /** Fails when an annotation without its label or taint is ignored, and therefore remains. */
  @Test
  void externallyRemovedLabelIsRestoredOrForgotten() {
    NodeReport bare =
        NodeReports.node("bare").labelsAndTaints(new NodeLabelsAndTaints("", null)).build();
    assertThat(NodeLabelsAndTaints.due(Map.of("bare", DAY), List.of(bare)))
        .containsEntry("bare", DAY);
    assertThat(NodeLabelsAndTaints.due(Map.of(), List.of(bare)))
        .containsEntry("bare", NodeLabelsAndTaints.NONE);
  }

  @ParameterizedTest
  @CsvSource({
    "XID 79 (fallen off the bus), XID-79-fallen-off-the-bus",
    "'  -odd_ends._ ', odd_ends",
    "überhitzt, berhitzt",
    "'', fault",
    "火, fault",
    "0123456789012345678901234567890123456789012345678901234567890_-_tail,"
        + " 0123456789012345678901234567890123456789012345678901234567890"
  })
  void messageBecomesTheValueOfATaint(String words, String value) {
    assertThat(NodeLabelsAndTaints.value(words)).isEqualTo(value);
  }
}

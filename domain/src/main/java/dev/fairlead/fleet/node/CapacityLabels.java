package dev.fairlead.fleet.node;

import dev.fairlead.kernel.resources.CapacityType;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Reads the capacity type of a node from its labels. The label on-demand of a provider only
 * excludes spot: the node may still be covered by a reservation or a savings plan, which only its
 * operator knows. Such labels are therefore ignored, and the capacity type of the cluster counts.
 */
public final class CapacityLabels {
  /** A value that matches every label value. */
  public static final String ANY = "*";

  /**
   * A rule for a label.
   *
   * @param value required value, {@link #ANY} for any
   */
  public record LabelRule(String label, String value, CapacityType type) {}

  /** Fairlead's own label comes first, so that an operator can override all others. */
  private static final List<LabelRule> TABLE =
      List.of(
          new LabelRule("fairlead.dev/capacity-type", "reserved", CapacityType.RESERVED),
          new LabelRule("fairlead.dev/capacity-type", "on-demand", CapacityType.ON_DEMAND),
          new LabelRule("fairlead.dev/capacity-type", "spot", CapacityType.SPOT),
          new LabelRule("karpenter.sh/capacity-type", "reserved", CapacityType.RESERVED),
          new LabelRule("karpenter.sh/capacity-type", "spot", CapacityType.SPOT),
          new LabelRule("eks.amazonaws.com/capacityType", "CAPACITY_BLOCK", CapacityType.RESERVED),
          new LabelRule("eks.amazonaws.com/capacityType", "SPOT", CapacityType.SPOT),
          new LabelRule("cloud.google.com/gke-spot", "true", CapacityType.SPOT),
          new LabelRule("cloud.google.com/gke-preemptible", "true", CapacityType.SPOT),
          new LabelRule("cloud.google.com/gke-provisioning", "spot", CapacityType.SPOT),
          new LabelRule("cloud.google.com/gke-provisioning", "preemptible", CapacityType.SPOT),
          new LabelRule("cloud.google.com/reservation-name", ANY, CapacityType.RESERVED),
          new LabelRule("kubernetes.azure.com/scalesetpriority", "spot", CapacityType.SPOT));

  private CapacityLabels() {}

  /** Returns the rules. The first match counts. */
  public static List<LabelRule> table() {
    return TABLE;
  }

  /** Returns the capacity type of the first matching rule, empty if none matches. */
  public static Optional<CapacityType> of(SortedMap<String, String> labels) {
    for (LabelRule meaning : TABLE) {
      String value = labels.get(meaning.label());
      if (value != null && (meaning.value().equals(ANY) || meaning.value().equals(value))) {
        return Optional.of(meaning.type());
      }
    }
    return Optional.empty();
  }
}

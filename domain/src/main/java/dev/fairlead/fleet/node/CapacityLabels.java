package dev.fairlead.fleet.node;

import dev.fairlead.kernel.resources.CapacityType;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What labels of a node say of how it is paid for. That a provider calls a node on-demand says only
 * that it is no spot node: it may still be covered by a reservation or a savings plan, which its
 * operator knows. So such labels decide nothing, and the value of the cluster counts.
 */
public final class CapacityLabels {
  /** A value that every one meets. */
  public static final String ANY = "*";

  /**
   * What a label says.
   *
   * @param value that it has to have, {@link #ANY} for any
   */
  public record LabelRule(String label, String value, CapacityType type) {}

  /** The label of Fairlead comes first: with it an operator overrules all others. */
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

  /** What labels say; the first that a node meets counts. */
  public static List<LabelRule> table() {
    return TABLE;
  }

  /** The first entry that the labels meet; empty for none. */
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

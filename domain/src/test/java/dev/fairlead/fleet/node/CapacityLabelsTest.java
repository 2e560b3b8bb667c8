package dev.fairlead.fleet.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The golden table of labels for capacity types. */
class CapacityLabelsTest {
  /** Fails when a provider's label is read differently; CLUSTER is the cluster's own value. */
  @ParameterizedTest
  @CsvSource({
    "fairlead.dev/capacity-type, reserved, RESERVED",
    "fairlead.dev/capacity-type, on-demand, ON_DEMAND",
    "fairlead.dev/capacity-type, spot, SPOT",
    "fairlead.dev/capacity-type, cheap, CLUSTER",
    "karpenter.sh/capacity-type, reserved, RESERVED",
    "karpenter.sh/capacity-type, on-demand, CLUSTER",
    "karpenter.sh/capacity-type, spot, SPOT",
    "eks.amazonaws.com/capacityType, CAPACITY_BLOCK, RESERVED",
    "eks.amazonaws.com/capacityType, ON_DEMAND, CLUSTER",
    "eks.amazonaws.com/capacityType, SPOT, SPOT",
    "cloud.google.com/gke-spot, true, SPOT",
    "cloud.google.com/gke-preemptible, true, SPOT",
    "cloud.google.com/gke-provisioning, spot, SPOT",
    "cloud.google.com/gke-provisioning, preemptible, SPOT",
    "cloud.google.com/gke-provisioning, standard, CLUSTER",
    "cloud.google.com/reservation-name, any-name, RESERVED",
    "kubernetes.azure.com/scalesetpriority, spot, SPOT",
    "kubernetes.azure.com/scalesetpriority, regular, CLUSTER",
    "topology.kubernetes.io/zone, spot, CLUSTER"
  })
  void eachProviderLabelHasItsMeaning(String label, String value, String expected) {
    assertThat(
            CapacityLabels.of(new TreeMap<>(Map.of(label, value)))
                .map(Enum::name)
                .orElse("CLUSTER"))
        .isEqualTo(expected);
  }

  /** Fails when an operator cannot override a provider's label. */
  @ParameterizedTest
  @CsvSource({"reserved, RESERVED", "on-demand, ON_DEMAND"})
  void fairleadLabelTakesPrecedenceOverProviderLabels(String value, String expected) {
    TreeMap<String, String> labels =
        new TreeMap<>(
            Map.of("fairlead.dev/capacity-type", value, "karpenter.sh/capacity-type", "spot"));

    assertThat(CapacityLabels.of(labels)).map(Enum::name).contains(expected);
  }
}

package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.LimitRangeBuilder;
import io.fabric8.kubernetes.api.model.LimitRangeItem;
import io.fabric8.kubernetes.api.model.LimitRangeItemBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The LimitRange of a namespace: a container without requests gets requests of zero. Without it a
 * quota of CPU and memory refuses pods into which a cluster injects such a container.
 */
final class ContainerDefaults {
  static final String NAME = "fairlead-defaults";

  private final Installation installation;
  private final NamespaceIsolation isolation;

  /** Namespaces that had it at the last check. */
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  ContainerDefaults(Installation installation, NamespaceIsolation isolation) {
    this.installation = installation;
    this.isolation = isolation;
  }

  void begin() {
    known.clear();
  }

  Set<String> known() {
    return known;
  }

  void forget(Collection<String> gone) {
    known.removeAll(gone);
  }

  /**
   * @param there object with Fairlead's labels, null if none exists
   * @return why it was not possible, null if the namespace is correct
   */
  @Nullable String keep(KubernetesClient client, String namespace, @Nullable LimitRange there) {
    LimitRange wanted = wanted(namespace);
    if (there != null && same(there, wanted)) {
      known.add(namespace);
      return null;
    }
    return NamespaceIsolation.built(() -> {
      isolation.write(client, there, wanted);
      if (!known.add(namespace)) {
        isolation.repaired(namespace, "LimitRange " + NAME);
      }
    });
  }

  private LimitRange wanted(String namespace) {
    Quantity none = new Quantity("0");
    return new LimitRangeBuilder()
        .withNewMetadata()
        .withName(NAME)
        .withNamespace(namespace)
        .withLabels(ObjectLabels.of(installation))
        .endMetadata()
        .withNewSpec()
        .withLimits(
            new LimitRangeItemBuilder()
                .withType("Container")
                .withDefaultRequest(Map.of("cpu", none, "memory", none))
                .build())
        .endSpec()
        .build();
  }

  private static boolean same(LimitRange there, LimitRange wanted) {
    List<LimitRangeItem> limits = there.getSpec().getLimits();
    return ObjectLabels.sameIdentity(there, wanted)
        && limits.size() == 1
        && limits.getFirst().getType().equals("Container")
        && nothing(limits.getFirst().getDefaultRequest())
        && none(limits.getFirst().getDefault())
        && none(limits.getFirst().getMax())
        && none(limits.getFirst().getMin())
        && none(limits.getFirst().getMaxLimitRequestRatio());
  }

  private static boolean nothing(@Nullable Map<String, Quantity> requests) {
    return requests != null
        && requests.keySet().equals(Set.of("cpu", "memory"))
        && requests.values().stream()
            .allMatch(amount -> amount.getNumericalAmount().compareTo(BigDecimal.ZERO) == 0);
  }

  private static boolean none(@Nullable Map<String, Quantity> amounts) {
    return amounts == null || amounts.isEmpty();
  }
}

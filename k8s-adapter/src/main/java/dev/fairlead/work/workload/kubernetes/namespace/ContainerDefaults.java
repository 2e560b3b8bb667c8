package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.LimitRangeBuilder;
import io.fabric8.kubernetes.api.model.LimitRangeItemBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collection;
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
    if (there != null && ServerSideApply.same(there, wanted)) {
      known.add(namespace);
      return null;
    }
    return NamespaceIsolation.built(() -> {
      LimitRange _ = isolation.apply().apply(client, wanted);
      if (!known.add(namespace)) {
        isolation.repaired(namespace, "LimitRange " + NAME);
      }
    });
  }

  private LimitRange wanted(String namespace) {
    Quantity none = new Quantity("0");
    return new LimitRangeBuilder()
        .withMetadata(ServerSideApply.meta(installation, namespace, NAME))
        .withNewSpec()
        .withLimits(
            new LimitRangeItemBuilder()
                .withType("Container")
                .withDefaultRequest(Map.of("cpu", none, "memory", none))
                .build())
        .endSpec()
        .build();
  }
}

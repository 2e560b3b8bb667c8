package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.NamespaceRemoval;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Reports the namespaces of deleted projects that remain on their clusters, and the cause. */
@Component
public class NamespaceDiagnosis implements Diagnosis {
  private static final int MOST = 1_000;

  /** Tries of the deletion, within 30 s. An empty namespace needs less time. */
  private static final int TRIES = 3;

  private static final int MOST_NAMED = 3;
  private final InventoryStore inventory;
  private final NamespaceRemovalStore removals;

  public NamespaceDiagnosis(InventoryStore inventory, NamespaceRemovalStore removals) {
    this.inventory = inventory;
    this.removals = removals;
  }

  @Override
  public String area() {
    return "namespaces";
  }

  @Override
  public List<DoctorCheck> look() {
    SortedMap<ClusterId, List<NamespaceRemoval>> left =
        removals.left(TRIES, MOST).stream()
            .collect(
                Collectors.groupingBy(
                    NamespaceRemoval::cluster, TreeMap::new, Collectors.toList()));
    return left.entrySet().stream().map(each -> check(each.getKey(), each.getValue())).toList();
  }

  private DoctorCheck check(ClusterId cluster, List<NamespaceRemoval> left) {
    String named =
        left.stream()
            .limit(MOST_NAMED)
            .map(each -> "%s, since %s: %s".formatted(each.namespace(), each.since(), each.why()))
            .collect(Collectors.joining("; "));
    int more = left.size() - MOST_NAMED;
    return DoctorCheck.warning(
        area(),
        inventory.nameOf(cluster).orElse(cluster.text()),
        "%d %s of archived tenants or deleted projects cannot be removed yet: %s%s"
            .formatted(
                left.size(),
                left.size() == 1 ? "namespace" : "namespaces",
                named,
                more > 0 ? "; and " + more + " more" : ""),
        "Follow the messages. Each namespace is retried within the hour.");
  }
}

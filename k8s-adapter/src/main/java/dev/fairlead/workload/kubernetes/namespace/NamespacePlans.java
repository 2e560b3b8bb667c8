package dev.fairlead.workload.kubernetes.namespace;

import dev.fairlead.tenant.Egress;
import dev.fairlead.workload.NamespacePlan;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How namespaces are to be kept, as far as this process was given it. */
public final class NamespacePlans {
  private final Map<String, NamespacePlan> known = new HashMap<>();

  /** Namespaces that were given another plan since they were looked at. */
  private final Set<String> changed = new LinkedHashSet<>();

  private boolean complete;

  /** These, and all others as usual. */
  public synchronized void all(List<NamespacePlan> plans) {
    Map<String, NamespacePlan> before = new HashMap<>(known);
    known.clear();
    plans.forEach(plan -> known.put(plan.namespace(), plan));
    plans.stream()
        .filter(plan -> !plan.equals(before.remove(plan.namespace())))
        .forEach(plan -> changed.add(plan.namespace()));
    before.values().stream()
        .filter(plan -> !plan.equals(NamespacePlan.usual(plan.namespace())))
        .forEach(plan -> changed.add(plan.namespace()));
    complete = true;
  }

  /**
   * This one, as a launch has it.
   *
   * @return whether it was another before
   */
  public synchronized boolean one(NamespacePlan plan) {
    NamespacePlan before = find(plan.namespace());
    if (plan.equals(before)) {
      return false;
    }
    known.put(plan.namespace(), plan);
    return true;
  }

  private @Nullable NamespacePlan find(String namespace) {
    NamespacePlan plan = known.get(namespace);
    return plan == null && complete ? NamespacePlan.usual(namespace) : plan;
  }

  /** Null while it is not known: what is there stays then. */
  synchronized @Nullable Egress egress(String namespace) {
    NamespacePlan plan = find(namespace);
    return plan == null ? null : plan.egress();
  }

  /** Some namespaces that were given another plan since they were taken. */
  synchronized List<String> changed(int most) {
    List<String> some = changed.stream().limit(most).toList();
    some.forEach(changed::remove);
    return some;
  }
}

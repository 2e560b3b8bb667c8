package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.people.tenant.Egress;
import dev.fairlead.work.workload.NamespacePlan;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How namespaces are to be kept, as far as this process was given it. */
public final class NamespacePlans {
  private final Map<String, NamespacePlan> known = new HashMap<>();

  /** Namespaces that were given another plan and do not have it yet, by which change. */
  private final Map<String, Long> changed = new LinkedHashMap<>();

  private long changes;
  private boolean complete;

  /** Namespace and number of a change that is not carried out. */
  record Change(String namespace, long number) {}

  /** Another process may have been given others since. */
  synchronized void begin() {
    known.clear();
    changed.clear();
    complete = false;
  }

  /** These, and all others as usual. */
  public synchronized void all(List<NamespacePlan> plans) {
    Map<String, NamespacePlan> before = new HashMap<>(known);
    known.clear();
    plans.forEach(plan -> known.put(plan.namespace(), plan));
    plans.stream()
        .filter(plan -> !plan.equals(before.remove(plan.namespace())))
        .forEach(plan -> change(plan.namespace()));
    before.values().stream()
        .filter(plan -> !plan.equals(NamespacePlan.usual(plan.namespace())))
        .forEach(plan -> change(plan.namespace()));
    complete = true;
  }

  private void change(String namespace) {
    changed.put(namespace, ++changes);
  }

  /**
   * This one, as a launch has it.
   *
   * @return whether the namespace may not have it yet
   */
  public synchronized boolean one(NamespacePlan plan) {
    if (!plan.equals(find(plan.namespace()))) {
      known.put(plan.namespace(), plan);
      change(plan.namespace());
    }
    return changed.containsKey(plan.namespace());
  }

  /** Whether those of all namespaces are known. */
  synchronized boolean complete() {
    return complete;
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

  /** Some namespaces that do not have their plan yet. */
  synchronized List<Change> changed(int most) {
    return changed.entrySet().stream()
        .limit(most)
        .map(change -> new Change(change.getKey(), change.getValue()))
        .toList();
  }

  /** It was carried out, or is the last to be tried again; one that came since stays. */
  synchronized void tried(Change change, boolean done) {
    if (changed.remove(change.namespace(), change.number()) && !done) {
      changed.put(change.namespace(), change.number());
    }
  }
}

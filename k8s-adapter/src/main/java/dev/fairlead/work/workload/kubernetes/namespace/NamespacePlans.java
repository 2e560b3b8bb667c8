package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.people.tenant.Egress;
import dev.fairlead.work.workload.NamespacePlan;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plans for namespaces, as received by this process. */
public final class NamespacePlans {
  private final Map<String, NamespacePlan> known = new HashMap<>();

  /** Namespaces with a new plan that is not applied yet, by number of the change. */
  private final Map<String, Long> changed = new LinkedHashMap<>();

  private long changes;
  private boolean complete;

  /** Namespace and number of a change that is not applied. */
  record Change(String namespace, long number) {}

  /** Resets the plans, because another process may have received others. */
  synchronized void begin() {
    known.clear();
    changed.clear();
    complete = false;
  }

  /** Sets these plans, and the default for all other namespaces. */
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
   * Sets the plan of one namespace, from a launch.
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

  /** Returns whether the plans of all namespaces are known. */
  synchronized boolean complete() {
    return complete;
  }

  private @Nullable NamespacePlan find(String namespace) {
    NamespacePlan plan = known.get(namespace);
    return plan == null && complete ? NamespacePlan.usual(namespace) : plan;
  }

  /** Returns null if it is unknown, and the existing policies then remain. */
  synchronized @Nullable Egress egress(String namespace) {
    NamespacePlan plan = find(namespace);
    return plan == null ? null : plan.egress();
  }

  /** Returns some namespaces that do not have their plan yet. */
  synchronized List<Change> changed(int most) {
    return changed.entrySet().stream()
        .limit(most)
        .map(change -> new Change(change.getKey(), change.getValue()))
        .toList();
  }

  /**
   * Records that a change was applied, or moves it to the end for a retry. A newer change is not
   * affected.
   */
  synchronized void tried(Change change, boolean done) {
    if (changed.remove(change.namespace(), change.number()) && !done) {
      changed.put(change.namespace(), change.number());
    }
  }
}

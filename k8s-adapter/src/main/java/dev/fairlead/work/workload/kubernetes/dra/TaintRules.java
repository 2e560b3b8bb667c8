package dev.fairlead.work.workload.kubernetes.dra;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The DeviceTaintRules of a cluster. */
final class TaintRules {
  private final SortedMap<String, SeenTaintRule> own = new TreeMap<>();
  private final SortedMap<String, SeenTaintRule> others = new TreeMap<>();

  void put(SeenTaintRule rule) {
    (rule.own() == null ? others : own).put(rule.name(), rule);
  }

  void remove(SeenTaintRule rule) {
    (rule.own() == null ? others : own).remove(rule.name());
  }

  /** Whether a rule of others keeps new pods off the device. */
  boolean exclude(DeviceRef ref) {
    return others.values().stream().anyMatch(rule -> rule.excludes() && rule.selects(ref));
  }

  /**
   * Returns the taints of Fairlead on GPUs of the node by UUID. The value is empty if the rule
   * names another device now, or its device is another GPU.
   *
   * @param published finds the device of a GPU of the node, null while it is not published
   * @param taken whether a device is published
   */
  SortedMap<String, String> of(
      String node, Function<String, @Nullable DeviceRef> published, Predicate<DeviceRef> taken) {
    SortedMap<String, String> taints = new TreeMap<>();
    for (SeenTaintRule rule : own.values()) {
      SeenTaintRule.Own its = rule.own();
      if (its != null && its.node().equals(node)) {
        DeviceRef ref = published.apply(its.gpu());
        boolean placed = ref == null ? !rule.selectsAny(taken) : rule.selects(ref);
        taints.put(its.gpu(), placed ? rule.value() : "");
      }
    }
    return taints;
  }
}

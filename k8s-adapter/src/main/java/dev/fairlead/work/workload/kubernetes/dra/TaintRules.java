package dev.fairlead.work.workload.kubernetes.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

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

  /** Returns whether a rule of others keeps new pods off the device. */
  boolean exclude(DeviceRef ref) {
    return others.values().stream().anyMatch(rule -> rule.excludes() && rule.selects(ref));
  }

  /**
   * Returns the taints of Fairlead on GPUs of the node by UUID. The value is empty if the rules
   * name other devices now, or a device is another GPU.
   *
   * @param published finds the devices of a GPU of the node, none while it is not published
   * @param taken whether a device is published
   */
  SortedMap<String, String> of(
      String node, Function<String, List<DeviceRef>> published, Predicate<DeviceRef> taken) {
    SortedMap<String, List<SeenTaintRule>> rules = new TreeMap<>();
    for (SeenTaintRule rule : own.values()) {
      SeenTaintRule.Own its = rule.own();
      if (its != null && its.node().equals(node)) {
        rules.computeIfAbsent(its.gpu(), gpu -> new ArrayList<>()).add(rule);
      }
    }
    SortedMap<String, String> taints = new TreeMap<>();
    rules.forEach((gpu, its) -> {
      List<DeviceRef> devices = published.apply(gpu);
      boolean placed =
          devices.isEmpty()
              ? its.stream().noneMatch(rule -> rule.selectsAny(taken))
              : devices.size() == its.size()
                  && devices.stream()
                      .allMatch(ref -> its.stream().anyMatch(rule -> rule.selects(ref)));
      long values = its.stream().map(SeenTaintRule::value).distinct().count();
      taints.put(gpu, placed && values == 1 ? its.getFirst().value() : "");
    });
    return taints;
  }
}

package dev.fairlead.work.workload.kubernetes.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which DeviceTaintRules change so that a node has taints on exactly these GPUs. A GPU that
 * is not published retains its rules, unless a device is another GPU now. Rules of nodes that no
 * longer exist are removed. Pure.
 */
public final class TaintPlan {
  private final String installation;
  private final SliceInventory gpus;
  private final Predicate<String> nodes;

  /**
   * @param installation label of the installation
   * @param nodes whether the cluster has a node
   */
  public TaintPlan(String installation, SliceInventory gpus, Predicate<String> nodes) {
    this.installation = installation;
    this.gpus = gpus;
    this.nodes = nodes;
  }

  /**
   * A change of a rule.
   *
   * @param rule the changed rule, null if it is removed
   */
  public record Step(String name, @Nullable SeenTaintRule rule) {}

  /**
   * Returns the changes in their order.
   *
   * @param rules by name
   * @param wanted values of the taints by UUID
   */
  public List<Step> due(
      SortedMap<String, SeenTaintRule> rules, String node, SortedMap<String, String> wanted) {
    List<Step> due = new ArrayList<>();
    if (gpus.taints(node).equals(wanted)) {
      return due;
    }
    for (SeenTaintRule rule : rules.values()) {
      SeenTaintRule.Own own = rule.own();
      if (own != null && stale(rule.name(), own, node, wanted)) {
        due.add(new Step(rule.name(), null));
      }
    }
    wanted.forEach((gpu, value) -> {
      List<DeviceRef> devices = gpus.devices(node, gpu);
      for (DeviceRef ref : devices) {
        SeenTaintRule rule =
            new SeenTaintRule(
                name(gpu, ref, devices),
                new SeenTaintRule.Own(gpu, node),
                ref.pool(),
                ref.device(),
                value,
                true);
        if (!rule.equals(rules.get(rule.name()))) {
          due.add(new Step(rule.name(), rule));
        }
      }
    });
    return due;
  }

  private boolean stale(
      String rule, SeenTaintRule.Own own, String node, SortedMap<String, String> wanted) {
    if (!own.node().equals(node)) {
      return !nodes.test(own.node());
    }
    List<DeviceRef> devices = gpus.devices(node, own.gpu());
    boolean placed =
        devices.isEmpty()
            ? !"".equals(gpus.taints(node).get(own.gpu()))
            : devices.stream().anyMatch(ref -> rule.equals(name(own.gpu(), ref, devices)));
    return !placed || !wanted.containsKey(own.gpu());
  }

  /** Name of the rule of a device, which remains if a whole GPU is renamed. */
  private String name(String gpu, DeviceRef ref, List<DeviceRef> all) {
    String name = "fairlead-" + installation + "-" + gpu.toLowerCase(Locale.ROOT);
    return all.size() > 1 ? name + "-" + ref.device() : name;
  }
}

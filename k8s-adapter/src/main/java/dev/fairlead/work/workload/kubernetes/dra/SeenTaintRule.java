package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A DeviceTaintRule for devices of the driver.
 *
 * @param own the GPU that Fairlead taints by it, null for a foreign rule
 * @param pool pool of the devices, null for all pools
 * @param device name in its pool, null for all devices, empty for no device of the driver
 * @param value value of the taint
 * @param excludes whether the taint keeps new pods off the devices
 */
public record SeenTaintRule(
    String name,
    @Nullable Own own,
    @Nullable String pool,
    @Nullable String device,
    String value,
    boolean excludes) {
  /** Annotation with the UUID of the GPU. A rule itself can only name pool and device. */
  static final String GPU = "fairlead.dev/gpu";

  /** Annotation with the node of the GPU. */
  static final String NODE = "fairlead.dev/node";

  /** A GPU that this installation has quarantined. */
  record Own(String gpu, String node) {}

  /** Reads a rule, null for a rule of others that may select no device of the driver. */
  public static @Nullable SeenTaintRule of(
      GenericKubernetesResource rule, String driver, String installation) {
    String of = text(rule, "spec", "deviceSelector", "driver");
    Own own = own(rule, installation);
    boolean none = rule.get("spec", "deviceSelector") == null || of != null && !of.equals(driver);
    if (own == null && (none || narrowed(rule))) {
      return null;
    }
    String value = text(rule, "spec", "taint", "value");
    return new SeenTaintRule(
        rule.getMetadata().getName(),
        own,
        text(rule, "spec", "deviceSelector", "pool"),
        none ? "" : text(rule, "spec", "deviceSelector", "device"),
        value == null ? "" : value,
        !"None".equals(text(rule, "spec", "taint", "effect")));
  }

  /**
   * Returns whether the rule selects by fields of v1alpha3 that later versions lack and Fairlead
   * cannot read.
   */
  private static boolean narrowed(GenericKubernetesResource rule) {
    return rule.get("spec", "deviceSelector", "deviceClassName") != null
        || rule.get("spec", "deviceSelector", "selectors") != null;
  }

  private static @Nullable Own own(GenericKubernetesResource rule, String installation) {
    Map<String, String> labels = rule.getMetadata().getLabels();
    Map<String, String> notes = rule.getMetadata().getAnnotations();
    String gpu = notes == null ? null : notes.get(GPU);
    String node = notes == null ? null : notes.get(NODE);
    boolean ours = labels != null && installation.equals(labels.get(ObjectLabels.INSTALLATION));
    return ours
            && gpu != null
            && node != null
            && NodeLabelsAndTaints.QUARANTINE.equals(text(rule, "spec", "taint", "key"))
        ? new Own(gpu, node)
        : null;
  }

  private static @Nullable String text(GenericKubernetesResource rule, Object... path) {
    return rule.get(path) instanceof String text ? text : null;
  }

  /** Returns whether the rule selects several devices, or any of these. */
  boolean selectsAny(Predicate<DeviceRef> devices) {
    return pool == null || device == null || devices.test(new DeviceRef(pool, device));
  }

  boolean selects(DeviceRef ref) {
    return (pool == null || pool.equals(ref.pool()))
        && (device == null || device.equals(ref.device()));
  }
}

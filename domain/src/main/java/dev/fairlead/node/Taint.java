package dev.fairlead.node;

/**
 * A node's taint as Kubernetes has it; effect is {@code NoSchedule}, {@code PreferNoSchedule} or
 * {@code NoExecute}.
 */
public record Taint(String key, String value, String effect) {
  public static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  /** The machine is about to go; the value is when, or empty. */
  public static final String LEAVING = "fairlead.dev/leaving";
}

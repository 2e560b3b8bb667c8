package dev.fairlead.fleet.node;

/**
 * A node's taint in Kubernetes. The effect is {@code NoSchedule}, {@code PreferNoSchedule} or
 * {@code NoExecute}.
 */
public record Taint(String key, String value, String effect) {
  public static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  /** The machine is about to be removed. The value is the time, or empty. */
  public static final String LEAVING = "fairlead.dev/leaving";

  /** Taint key of nodes that accept only pods with GPUs. */
  public static final String GPU_ONLY = "nvidia.com/gpu";

  private static final String OWN_DOMAIN = "fairlead.dev";

  /**
   * Returns whether the taint keeps all jobs off the node: its effect is hard and members do not
   * tolerate it.
   */
  public boolean keepsJobsOut() {
    boolean hard = effect.equals("NoSchedule") || effect.equals("NoExecute");
    return hard && !own() && !key.equals(GPU_ONLY);
  }

  /**
   * Returns whether the taint has a key of Fairlead and does not affect jobs. A quarantine taint in
   * the report of a node was set by another installation or a person, because the taint of this
   * installation is removed from the report.
   */
  public boolean own() {
    int slash = key.indexOf('/');
    String domain = slash < 0 ? "" : key.substring(0, slash);
    return !key.equals(NodeLabelsAndTaints.QUARANTINE)
        && (domain.equals(OWN_DOMAIN) || domain.endsWith("." + OWN_DOMAIN));
  }
}

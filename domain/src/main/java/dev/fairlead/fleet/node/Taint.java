package dev.fairlead.fleet.node;

/**
 * A node's taint as Kubernetes has it; effect is {@code NoSchedule}, {@code PreferNoSchedule} or
 * {@code NoExecute}.
 */
public record Taint(String key, String value, String effect) {
  public static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  /** The machine is about to go; the value is when, or empty. */
  public static final String LEAVING = "fairlead.dev/leaving";

  /** On nodes that take only what asks for a GPU. */
  public static final String GPU_ONLY = "nvidia.com/gpu";

  private static final String OWN_DOMAIN = "fairlead.dev";

  /** Whether no job runs on a node with it: it is hard, and members do not tolerate it. */
  public boolean keepsJobsOut() {
    boolean hard = effect.equals("NoSchedule") || effect.equals("NoExecute");
    return hard && !own() && !key.equals(GPU_ONLY);
  }

  /**
   * Whether it has a key of Fairlead and says nothing to jobs. A quarantine that a node still shows
   * in its report was put there by another installation or by somebody: what this one shows is
   * taken out of the report.
   */
  public boolean own() {
    int slash = key.indexOf('/');
    String domain = slash < 0 ? "" : key.substring(0, slash);
    return !key.equals(NodeMarks.QUARANTINE)
        && (domain.equals(OWN_DOMAIN) || domain.endsWith("." + OWN_DOMAIN));
  }
}

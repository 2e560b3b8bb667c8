package dev.fairlead.health;

/**
 * Stops quarantines when too many nodes of a cluster have one: then the monitor or the table is
 * more likely at fault than the machines. Counts nodes with GPUs and those without apart, and never
 * stops a recovery.
 *
 * @param percent of the cluster's nodes of either kind that Fairlead may isolate, 1..100; one node
 *     always
 * @param nodes that it may isolate at most, from 1
 */
public record Breaker(int percent, int nodes) {
  public static final Breaker DEFAULT = new Breaker(25, 50);

  private static final int WHOLE = 100;

  /** How many nodes may be isolated of so many of their kind. */
  public int most(int all) {
    return Math.min(nodes, Math.max(1, all * percent / WHOLE));
  }

  public boolean stops(int isolated, int all) {
    return isolated >= most(all);
  }

  /** What is shown of a fault that isolated nothing. */
  public String text(int isolated, int all, boolean gpus) {
    return "not isolated: %d of %d %s are quarantined, and at most %d may be (%d percent, %d nodes). Quarantine it by hand, or release others."
        .formatted(
            isolated, all, gpus ? "GPU nodes" : "nodes without GPUs", most(all), percent, nodes);
  }
}

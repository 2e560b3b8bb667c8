package dev.fairlead.health;

/**
 * Stops quarantines when too many nodes of a cluster have one: then the monitor or the table is
 * more likely at fault than the machines. Counts GPU nodes only, and never stops a recovery.
 *
 * @param percent of the cluster's GPU nodes that Fairlead may isolate, 1..100; one node always
 * @param nodes that it may isolate at most, from 1
 */
public record Breaker(int percent, int nodes) {
  public static final Breaker DEFAULT = new Breaker(25, 50);

  private static final int WHOLE = 100;

  /** How many nodes may be isolated of so many with GPUs. */
  public int most(int gpuNodes) {
    return Math.min(nodes, Math.max(1, gpuNodes * percent / WHOLE));
  }

  public boolean stops(int isolated, int gpuNodes) {
    return isolated >= most(gpuNodes);
  }

  /** What is shown of a fault that isolated nothing. */
  public String text(int isolated, int gpuNodes) {
    return "not isolated: %d of %d GPU nodes are quarantined, and at most %d may be (%d percent, %d nodes). Quarantine it by hand, or release others."
        .formatted(isolated, gpuNodes, most(gpuNodes), percent, nodes);
  }
}

package dev.fairlead.fleet.cluster;

/**
 * Bound on the objects of one cluster that may vanish together. Above it, another API server
 * answers or the etcd was restored from a backup, and a missing object proves nothing. Pure.
 */
public final class BreakerLimit {
  /** Number of objects that may be missing on any cluster, regardless of its size. */
  public static final int FEWEST = 20;

  /** Percentage of the known objects that may be missing. */
  public static final int PERCENT = 5;

  private static final int HUNDRED = 100;

  private BreakerLimit() {}

  /**
   * Returns whether too many objects are missing.
   *
   * @param missing objects that the cluster does not show, from 0
   * @param known objects that the cluster should show, missing ones included
   */
  public static boolean exceeded(int missing, int known) {
    return missing > Math.max(FEWEST, (long) known * PERCENT / HUNDRED);
  }
}

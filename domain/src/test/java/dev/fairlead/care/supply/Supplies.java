package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import java.time.Duration;
import java.util.TreeMap;

/** Supplies for tests: at most four nodes of eight H100, empty for ten minutes, in half an hour. */
public final class Supplies {
  public static final Duration RELEASE_AFTER = Duration.ofMinutes(10);
  public static final Duration READY_WITHIN = Duration.ofMinutes(30);
  public static final int MOST_NODES = 4;

  private Supplies() {}

  /** A copy with another version. */
  public static Supply version(Supply supply, long version) {
    return new Supply(
        supply.pool(),
        supply.cluster(),
        supply.kind(),
        supply.maxNodes(),
        supply.releaseAfter(),
        supply.readyWithin(),
        supply.webhook(),
        version,
        null);
  }

  public static Supply of(PoolId pool, ClusterId cluster) {
    return of(pool, cluster, "https://provisioner.example/nodes");
  }

  /** The supply with another provisioner. */
  public static Supply of(PoolId pool, ClusterId cluster, String url) {
    return new Supply(
        pool,
        cluster,
        new NodeKind(
            "H100",
            8,
            81_920,
            CapacityType.ON_DEMAND,
            ResourceVector.of(96_000, 1_000_000, 8_000, 110),
            new TreeMap<>()),
        MOST_NODES,
        RELEASE_AFTER,
        READY_WITHIN,
        new Supply.Webhook(url, null),
        1,
        null);
  }
}

package dev.fairlead.supply;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.PoolId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How nodes come into a pool when jobs wait for them, and leave it when they are empty.
 *
 * @param cluster that the nodes join
 * @param maxNodes most of its nodes at one time, from 0 to {@link #MOST_NODES}; with 0 none is
 *     asked for
 * @param releaseAfter a node that was empty for so long is handed back
 * @param readyWithin nodes that are not ready so long after they were asked for are given up
 */
public record Supply(
    PoolId pool,
    ClusterId cluster,
    NodeKind kind,
    int maxNodes,
    Duration releaseAfter,
    Duration readyWithin,
    Webhook webhook,
    long version) {
  public static final int MOST_NODES = 256;

  /**
   * Where the supplier is asked.
   *
   * @param url begins with https
   * @param caData base64 of the PEM certificates that sign its own; null for the public ones
   */
  public record Webhook(String url, @Nullable String caData) {}

  /** What the key that signs the calls of the pool is derived for. */
  public static String signs(PoolId pool) {
    return "fairlead/supply/" + pool.text();
  }
}

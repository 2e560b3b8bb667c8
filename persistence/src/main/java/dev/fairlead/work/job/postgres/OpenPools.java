package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.estimate.Runtimes;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whether pools accept the jobs of one batch now, by their windows. Each pool is read once. */
final class OpenPools {
  private final PoolStore pools;
  private final QuotaStore quotas;
  private final Map<QuotaNodeId, Optional<QuotaNode>> queues = new HashMap<>();
  private final Map<String, PoolWindows> windows = new HashMap<>();
  private @Nullable Instant now;

  OpenPools(PoolStore pools, QuotaStore quotas) {
    this.pools = pools;
    this.quotas = quotas;
  }

  /**
   * Reads a pool with windows.
   *
   * @param pool pool of a locked node
   */
  boolean take(String pool, Transition transition) {
    Instant start = now;
    if (start == null) {
      start = pools.now();
      now = start;
      pools.pools().stream()
          .filter(each -> !each.windows().always())
          .forEach((Pool each) -> windows.put(each.name(), each.windows()));
    }
    PoolWindows its = windows.getOrDefault(pool, PoolWindows.NONE);
    return its.always() || Runtimes.take(its, transition, queue(transition), start);
  }

  private @Nullable QuotaNode queue(Transition transition) {
    return queues
        .computeIfAbsent(transition.job().queue(), id -> quotas.node(transition.job().tenant(), id))
        .orElse(null);
  }
}

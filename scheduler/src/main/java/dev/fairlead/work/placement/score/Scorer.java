package dev.fairlead.work.placement.score;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.NodeChoice;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.NodeTerms;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Chooses nodes of one cluster by a score, with a score cache for each requested shape. */
public final class Scorer implements NodeChoice {
  /** Maximum number of score caches. The least recently used one is dropped. */
  private static final int MOST_BOARDS = 512;

  private final ClusterCapacity cluster;
  private final NodeScore rule;
  private final @Nullable RandomGenerator random;
  private final Map<Query, ScoreCache> caches =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Query, ScoreCache> eldest) {
          return size() > MOST_BOARDS;
        }
      };

  private record Query(
      GpuRequest gpu,
      long cpuMilli,
      long memoryMiB,
      boolean rdma,
      NodeTerms terms,
      @Nullable String model) {}

  private Scorer(ClusterCapacity cluster, NodeScore rule, @Nullable RandomGenerator random) {
    this.cluster = cluster;
    this.rule = rule;
    this.random = random;
  }

  /** Creates a scorer that uses the score. */
  public static Scorer by(NodeScore rule, ClusterCapacity cluster) {
    return new Scorer(cluster, rule, null);
  }

  /** Creates a scorer that chooses randomly, for comparison. */
  public static Scorer random(ClusterCapacity cluster, RandomGenerator seeded) {
    return new Scorer(cluster, new BestFitScore(), seeded);
  }

  @Override
  public @Nullable Chosen best(MemberShape member, @Nullable String model, WorkBudget work) {
    Query query =
        new Query(
            member.gpu(),
            member.cpuMilli(),
            member.memoryMiB(),
            member.rdma(),
            member.terms(),
            model);
    ScoreCache cache = caches.get(query);
    if (cache == null || !member.neighbours().ofNode()) {
      work.spend(cluster.capacities().size());
      cache =
          new ScoreCache(
              rule,
              member,
              cluster.capacities(),
              cluster.changes(),
              capacity -> admits(capacity, member, model));
      caches.put(query, cache);
    }
    NodeCapacity capacity = random == null ? cache.best(work) : cache.any(random, work);
    return capacity == null ? null : new Chosen(capacity, rule.slot(capacity, member));
  }

  private boolean admits(NodeCapacity capacity, MemberShape member, @Nullable String model) {
    boolean ofModel = model == null || Objects.equals(model, capacity.node().gpuModel());
    return ofModel && Filters.admit(cluster.cluster(), capacity.node(), member);
  }
}

package dev.fairlead.placement.score;

import dev.fairlead.placement.filter.Filters;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.NodeCapacity;
import dev.fairlead.placement.ledger.NodeChoice;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.placement.shape.NodeTerms;
import dev.fairlead.resources.GpuRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Chooses nodes of one cluster by a score, with a board for each shape that was asked for. */
public final class Scorer implements NodeChoice {
  /** Most boards that are kept, the one that was not asked for longest is dropped. */
  private static final int MOST_BOARDS = 512;

  private final ClusterCapacity cluster;
  private final NodeScore rule;
  private final @Nullable RandomGenerator random;
  private final Map<Asked, ScoreCache> boards =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Asked, ScoreCache> eldest) {
          return size() > MOST_BOARDS;
        }
      };

  private record Asked(
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

  /** By the score. */
  public static Scorer by(NodeScore rule, ClusterCapacity cluster) {
    return new Scorer(cluster, rule, null);
  }

  /** By lot, to compare with. */
  public static Scorer random(ClusterCapacity cluster, RandomGenerator seeded) {
    return new Scorer(cluster, new BestFitScore(), seeded);
  }

  @Override
  public @Nullable Spot best(MemberShape member, @Nullable String model, WorkBudget work) {
    Asked asked =
        new Asked(
            member.gpu(),
            member.cpuMilli(),
            member.memoryMiB(),
            member.rdma(),
            member.terms(),
            model);
    ScoreCache board = boards.get(asked);
    if (board == null) {
      work.spend(cluster.rooms().size());
      board =
          new ScoreCache(
              rule,
              member,
              cluster.rooms(),
              cluster.changes(),
              room -> admits(room, member, model));
      boards.put(asked, board);
    }
    NodeCapacity room = random == null ? board.best(work) : board.any(random, work);
    return room == null ? null : new Spot(room, rule.slot(room, member));
  }

  private boolean admits(NodeCapacity room, MemberShape member, @Nullable String model) {
    boolean ofModel = model == null || Objects.equals(model, room.node().gpuModel());
    return ofModel && Filters.admit(cluster.cluster(), room.node(), member);
  }
}

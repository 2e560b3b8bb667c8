package dev.fairlead.work.placement.score;

import dev.fairlead.work.placement.ledger.NodeChangeLog;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Scores of all nodes of a cluster for one shape. Only changed nodes are scored again. */
final class ScoreCache {
  private static final long UNFIT = Long.MAX_VALUE;

  /**
   * Number of nodes that share one cached best score, so that a search does not evaluate each node.
   */
  private static final int BLOCK = 32;

  private static final int STALE = -2;
  private static final int NONE = -1;
  private static final int CPU_BITS = 44;

  private final NodeScore rule;
  private final MemberShape member;
  private final List<NodeCapacity> capacities;
  private final NodeChangeLog changes;
  private final boolean[] admitted;
  private final long[] score;
  private final long[] idle;
  private final int[] scoredAt;
  private final int[] bestOf;
  private int readTo;

  ScoreCache(
      NodeScore rule,
      MemberShape member,
      List<NodeCapacity> capacities,
      NodeChangeLog changes,
      Predicate<NodeCapacity> admits) {
    this.rule = rule;
    this.member = member;
    this.capacities = capacities;
    this.changes = changes;
    int nodes = capacities.size();
    admitted = new boolean[nodes];
    score = new long[nodes];
    idle = new long[nodes];
    scoredAt = new int[nodes];
    Arrays.fill(score, UNFIT);
    bestOf = new int[Math.ceilDiv(nodes, BLOCK)];
    Arrays.fill(bestOf, STALE);
    readTo = changes.size();
    for (int rank = 0; rank < nodes; rank++) {
      admitted[rank] = capacities.get(rank).open() && admits.test(capacities.get(rank));
      score(rank);
    }
  }

  /** Returns the node with the best score, null if none fits. */
  @Nullable NodeCapacity best(WorkBudget work) {
    refresh(work);
    int best = NONE;
    for (int block = 0; block < bestOf.length; block++) {
      if (bestOf[block] == STALE) {
        bestOf[block] = bestIn(block * BLOCK, Math.min(capacities.size(), (block + 1) * BLOCK));
      }
      best = better(bestOf[block], best);
    }
    return best == NONE ? null : capacities.get(best);
  }

  /** Returns a random node that fits, with equal probability, null if none does. */
  @Nullable NodeCapacity any(RandomGenerator random, WorkBudget work) {
    refresh(work);
    int fitting = 0;
    for (long each : score) {
      fitting += each == UNFIT ? 0 : 1;
    }
    int skip = fitting == 0 ? 0 : random.nextInt(fitting);
    for (int rank = 0; fitting > 0 && rank < score.length; rank++) {
      if (score[rank] != UNFIT && skip-- == 0) {
        return capacities.get(rank);
      }
    }
    return null;
  }

  private void refresh(WorkBudget work) {
    int end = changes.size();
    work.spend(end - readTo + 1L);
    for (; readTo < end; readTo++) {
      int rank = changes.rank(readTo);
      if (admitted[rank] && scoredAt[rank] != capacities.get(rank).version()) {
        score(rank);
        bestOf[rank / BLOCK] = STALE;
      }
    }
  }

  private void score(int rank) {
    NodeCapacity capacity = capacities.get(rank);
    scoredAt[rank] = capacity.version();
    boolean fits = admitted[rank] && capacity.takes(member);
    score[rank] = fits ? rule.of(capacity, member) : UNFIT;
    idle[rank] =
        (capacity.slots().idleMilli() << CPU_BITS)
            | Math.clamp(capacity.freeCpuMilli(), 0, (1L << CPU_BITS) - 1);
  }

  private int bestIn(int begin, int end) {
    int best = NONE;
    for (int rank = begin; rank < end; rank++) {
      if (score[rank] != UNFIT) {
        best = better(rank, best);
      }
    }
    return best;
  }

  /** Returns the earlier node if both are equal. */
  private int better(int later, int earlier) {
    if (later == NONE || earlier == NONE) {
      return Math.max(later, earlier);
    }
    boolean wins =
        score[later] < score[earlier]
            || score[later] == score[earlier] && idle[later] < idle[earlier];
    return wins ? later : earlier;
  }
}

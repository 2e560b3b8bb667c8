package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.placement.share.GroupShares;
import dev.fairlead.work.placement.share.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;

/**
 * Victim search with fair sharing (as in Kueue). It takes victims from the queue with the highest
 * share while the comparison of shares allows it. The tree is restored afterwards.
 */
public final class FairVictimSearch {
  private final QuotaTree tree;
  private final Collection<RunningJob> running;
  private final FreedCapacity room;
  private final List<Strategy> strategies;
  private final GroupShares shares;

  /**
   * Condition for a victim. Shares are compared between the two children of the lowest common
   * ancestor.
   */
  public enum Strategy {
    /**
     * The preemptor's share with the new job does not exceed the share of the victim's queue
     * without the victim.
     */
    NOT_ABOVE_AFTER,
    /** The preemptor's share with the new job is below the victim's current share. */
    BELOW_BEFORE,
    /** Shares are not compared. Only quota that the preemptor's side owns is reclaimed. */
    ONLY_OWNED
  }

  /**
   * Creates a search over all jobs that use quota of the tree.
   *
   * @param room nodes that the members may find after jobs have left
   * @param strategies the second is tried only if the first is not enough
   * @param shares shares of the tree. A group that divides GPUs uses deserved shares instead of the
   *     comparing strategies
   */
  public FairVictimSearch(
      QuotaTree tree,
      Collection<RunningJob> running,
      FreedCapacity room,
      List<Strategy> strategies,
      GroupShares shares) {
    this.tree = tree;
    this.shares = shares;
    this.running = List.copyOf(running);
    this.room = room;
    this.strategies = List.copyOf(strategies);
  }

  /**
   * Returns the victims in the order of their choice. The result is empty if no set of victims lets
   * the job start.
   */
  public List<Victim> find(Preemptor preemptor) {
    QuotaSimulation simulation = new QuotaSimulation(tree, preemptor, room);
    List<RunningJob> candidates = candidates(simulation, preemptor);
    simulation.charge();
    Round round = new Round(simulation, preemptor);
    boolean fits = round.first(candidates, strategies.getFirst());
    if (!fits && strategies.size() > 1) {
      fits = round.second(strategies.get(1));
    }
    simulation.discharge();
    List<Victim> victims = fits ? simulation.fewest(round.victims, true) : List.of();
    simulation.restoreAll();
    return victims;
  }

  private List<RunningJob> candidates(QuotaSimulation simulation, Preemptor preemptor) {
    QuotaNodeId root = tree.root(preemptor.queue());
    return running.stream()
        .filter(job ->
            job.queue().equals(preemptor.queue())
                ? preemptor.mayEvictOwn(job)
                : tree.root(job.queue()).equals(root)
                    && !simulation.keeps(job)
                    && preemptor.mayReclaim(job))
        .toList();
  }

  /** A search over one set of candidates. */
  private final class Round {
    private final QuotaSimulation simulation;
    private final Preemptor preemptor;
    private final List<Victim> victims = new ArrayList<>();
    private final List<RunningJob> refused = new ArrayList<>();

    Round(QuotaSimulation simulation, Preemptor preemptor) {
      this.simulation = simulation;
      this.preemptor = preemptor;
    }

    boolean first(List<RunningJob> candidates, Strategy strategy) {
      FairOrder order = new FairOrder(simulation, shares, preemptor, candidates);
      for (QuotaNodeId queue = order.next(); queue != null; queue = order.next()) {
        boolean own = queue.equals(preemptor.queue());
        boolean taken = false;
        while (!taken && !order.jobs(queue).isEmpty()) {
          RunningJob job = order.jobs(queue).removeFirst();
          if (simulation.goesAnyway(job) || !own && simulation.keeps(job)) {
            continue;
          }
          boolean owned = !own && owned(job);
          taken = own || owned || allows(strategy, job);
          if (!taken) {
            refused.add(job);
          } else if (take(job, right(own, owned))) {
            return true;
          }
        }
      }
      return false;
    }

    boolean second(Strategy strategy) {
      FairOrder order = new FairOrder(simulation, shares, preemptor, refused);
      for (QuotaNodeId queue = order.next(); queue != null; queue = order.next()) {
        RunningJob job = order.jobs(queue).removeFirst();
        if (!simulation.goesAnyway(job)
            && !simulation.keeps(job)
            && allows(strategy, job)
            && take(job, EvictionRight.FAIR_SHARE)) {
          return true;
        }
        order.drop(queue);
      }
      return false;
    }

    private static EvictionRight right(boolean own, boolean owned) {
      if (own) {
        return EvictionRight.WITHIN_QUEUE;
      }
      return owned ? EvictionRight.RECLAIM : EvictionRight.FAIR_SHARE;
    }

    /**
     * Returns whether the preemptor's side, with the new job, owns all quota that the victim would
     * free, so the victim is reclaimed.
     */
    private boolean owned(RunningJob job) {
      return simulation.owns(below(preemptor.queue(), job.queue()), job);
    }

    private boolean take(RunningJob job, EvictionRight right) {
      simulation.take(victims, new Victim(job, right));
      simulation.discharge();
      boolean fits = simulation.fits(true);
      simulation.charge();
      return fits;
    }

    /**
     * Shares are compared for the lacking cells. A job that uses none of these cells is either
     * reclaimed or stays.
     */
    private boolean allows(Strategy strategy, RunningJob job) {
      if (!job.uses(preemptor.lacking())) {
        return false;
      }
      SortedSet<QuotaCell> compared = preemptor.compared();
      QuotaNode ours = node(below(preemptor.queue(), job.queue()));
      QuotaNode theirs = node(below(job.queue(), preemptor.queue()));
      if (strategy != Strategy.ONLY_OWNED
          && shares.policy(ours.parent()) == SharePolicy.DESERVED_SHARE) {
        return !shares.above(ours, preemptor.asks().keySet())
            && shares.above(theirs, preemptor.compared(job));
      }
      Share with = shares.of(ours, compared);
      return switch (strategy) {
        case ONLY_OWNED -> false;
        case BELOW_BEFORE -> with.compareTo(shares.of(theirs, compared)) < 0;
        case NOT_ABOVE_AFTER -> {
          simulation.remove(job);
          Share without = shares.of(theirs, compared);
          simulation.restore(job);
          yield with.compareTo(without) <= 0;
        }
      };
    }

    private QuotaNode node(QuotaNodeId id) {
      return tree.node(id).orElseThrow();
    }

    /** Returns the last node on the path of one queue before it meets the path of the other. */
    private QuotaNodeId below(QuotaNodeId queue, QuotaNodeId other) {
      List<QuotaNodeId> otherPath = tree.path(other).stream().map(QuotaNode::id).toList();
      QuotaNodeId last = queue;
      for (QuotaNode node : tree.path(queue)) {
        if (otherPath.contains(node.id())) {
          return last;
        }
        last = node.id();
      }
      return last;
    }
  }
}

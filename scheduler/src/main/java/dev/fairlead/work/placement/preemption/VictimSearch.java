package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.EvictionRight;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Finds the fewest victims, cheapest first, that let a job start by the rules of its queue, without
 * fair sharing (Kueue's classical preemption). The tree is restored afterwards.
 */
public final class VictimSearch {
  private final QuotaTree tree;
  private final Collection<RunningJob> running;
  private final FreedCapacity room;

  /**
   * Creates a search over all jobs that use quota of the tree.
   *
   * @param room nodes that the members may find after jobs have left
   */
  public VictimSearch(QuotaTree tree, Collection<RunningJob> running, FreedCapacity room) {
    this.tree = tree;
    this.running = List.copyOf(running);
    this.room = room;
  }

  /**
   * Returns the victims in the order of their choice. The result is empty if no set of victims lets
   * the job start.
   */
  public List<Victim> find(Preemptor preemptor) {
    QuotaSimulation simulation = new QuotaSimulation(tree, preemptor, room);
    Candidates candidates = new Candidates(tree, simulation, preemptor, running);
    for (boolean borrowing : attempts(preemptor, candidates)) {
      List<Victim> victims = attempt(simulation, preemptor, candidates.inOrder(), borrowing);
      simulation.restoreAll();
      if (!victims.isEmpty()) {
        return victims;
      }
    }
    return List.of();
  }

  /** Returns whether the job may borrow after the evictions, in the order to try. */
  private List<Boolean> attempts(Preemptor preemptor, Candidates candidates) {
    boolean forbidden = !preemptor.whileBorrowing();
    if (candidates.onlyOwn() || forbidden && !underNominal(preemptor)) {
      return List.of(true);
    }
    return forbidden && candidates.noneReclaimed() ? List.of(false, true) : List.of(true, false);
  }

  private boolean underNominal(Preemptor preemptor) {
    for (QuotaCell cell : preemptor.lacking()) {
      if (tree.used(preemptor.queue(), cell) >= tree.nominal(preemptor.queue(), cell)) {
        return false;
      }
    }
    return true;
  }

  private List<Victim> attempt(
      QuotaSimulation simulation,
      Preemptor preemptor,
      List<Candidates.Candidate> order,
      boolean borrowing) {
    List<Victim> victims = new ArrayList<>();
    for (Candidates.Candidate candidate : order) {
      if (simulation.goesAnyway(candidate.job())
          || !stillValid(simulation, preemptor, candidate, borrowing)) {
        continue;
      }
      simulation.take(victims, new Victim(candidate.job(), right(preemptor, candidate)));
      if (simulation.fits(borrowing)) {
        return simulation.fewest(victims, borrowing);
      }
    }
    return List.of();
  }

  /**
   * Returns whether the victim is still valid. A queue that no longer borrows, or is below a group
   * that does not borrow, loses no more jobs.
   */
  private boolean stillValid(
      QuotaSimulation simulation,
      Preemptor preemptor,
      Candidates.Candidate candidate,
      boolean borrowing) {
    if (candidate.job().queue().equals(preemptor.queue())) {
      return true;
    }
    if (borrowing && !candidate.evenBorrowing()) {
      return false;
    }
    for (QuotaNode node : tree.path(candidate.job().queue())) {
      QuotaNodeId id = node.id();
      if (id.equals(candidate.above())) {
        return true;
      }
      if (simulation.owns(id, candidate.job())) {
        return false;
      }
    }
    return true;
  }

  private static EvictionRight right(Preemptor preemptor, Candidates.Candidate candidate) {
    if (candidate.job().queue().equals(preemptor.queue())) {
      return EvictionRight.WITHIN_QUEUE;
    }
    return !candidate.owned() && candidate.evenBorrowing()
        ? EvictionRight.WHILE_BORROWING
        : EvictionRight.RECLAIM;
  }
}

package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.placement.routing.Subtrees;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A quota tree that supports removing and restoring running jobs. */
final class QuotaSimulation {
  private final QuotaTree tree;
  private final Subtrees subtrees;
  private final Preemptor preemptor;
  private final FreedCapacity room;
  private final Map<String, RunningJob> gone = new LinkedHashMap<>();
  private final Set<String> partly = new TreeSet<>();

  QuotaSimulation(QuotaTree tree, Preemptor preemptor, FreedCapacity room) {
    this.tree = tree;
    this.preemptor = preemptor;
    this.room = room;
    subtrees = new Subtrees(tree);
  }

  /** Adds a victim and removes its use. A whole job replaces its parts that were removed before. */
  void take(List<Victim> victims, Victim victim) {
    RunningJob job = victim.job();
    if (partly.contains(job.key())) {
      victims.stream().map(Victim::job).filter(part -> part.partOf(job)).forEach(this::restore);
      victims.removeIf(part -> part.job().partOf(job));
    }
    remove(job);
    victims.add(victim);
  }

  /** Returns whether the job is a part of a whole that is evicted. */
  boolean goesAnyway(RunningJob job) {
    return job.part() && gone.containsKey(job.gang());
  }

  void remove(RunningJob job) {
    gone.put(job.key(), job);
    if (job.part()) {
      partly.add(job.gang());
    }
    room.gone(job);
    job.use().forEach((cell, amount) -> tree.free(job.queue(), cell, amount));
  }

  void restore(RunningJob job) {
    gone.remove(job.key());
    room.back(job);
    job.use().forEach((cell, amount) -> tree.use(job.queue(), cell, amount));
  }

  void restoreAll() {
    List.copyOf(gone.values()).forEach(this::restore);
  }

  /** Returns whether the preemptor has quota now and its members find nodes. */
  boolean fits(boolean borrowing) {
    for (Map.Entry<QuotaCell, Long> ask : preemptor.asks().entrySet()) {
      boolean borrows = subtrees.borrows(preemptor.queue(), ask.getKey(), ask.getValue());
      if (borrows && !borrowing
          || ask.getValue() > tree.available(preemptor.queue(), ask.getKey())) {
        return false;
      }
    }
    return room.fits();
  }

  /**
   * Returns whether a node on the path of a job owns all cells for which the job would be
   * reclaimed.
   */
  boolean owns(QuotaNodeId node, RunningJob job) {
    return withinQuota(node, preemptor.reclaimedFor(job));
  }

  /**
   * Returns whether the job's queue, or a group on its path below the common ancestor, owns the
   * quota that the job uses.
   */
  boolean keeps(RunningJob job) {
    List<QuotaNodeId> ours = tree.path(preemptor.queue()).stream().map(QuotaNode::id).toList();
    return tree.path(job.queue()).stream()
        .map(QuotaNode::id)
        .takeWhile(id -> !ours.contains(id))
        .anyMatch(node -> owns(node, job));
  }

  /** Returns whether a node uses no more than its own quota of every lacking cell. */
  boolean withinQuota(QuotaNodeId node) {
    return withinQuota(node, preemptor.lacking());
  }

  private boolean withinQuota(QuotaNodeId node, Collection<QuotaCell> cells) {
    return cells.stream().allMatch(cell -> tree.used(node, cell) <= tree.subtreeQuota(node, cell));
  }

  /**
   * Returns the victims without which the preemptor does not fit, in their order. The last victim
   * is always needed. The latest are dropped first, in large groups where none is needed, so the
   * number of tests depends on the victims that stay in the result and not on those dropped.
   */
  List<Victim> fewest(List<Victim> victims, boolean borrowing) {
    BitSet needed = new BitSet();
    needed.set(victims.size() - 1);
    spare(victims, 0, victims.size() - 1, borrowing, needed);
    return needed.stream().mapToObj(victims::get).toList();
  }

  private void spare(List<Victim> victims, int from, int to, boolean borrowing, BitSet needed) {
    if (from == to) {
      return;
    }
    List<RunningJob> jobs = victims.subList(from, to).stream().map(Victim::job).toList();
    jobs.forEach(this::restore);
    if (fits(borrowing)) {
      return;
    }
    jobs.forEach(this::remove);
    if (to - from == 1) {
      needed.set(from);
      return;
    }
    int middle = (from + to) >>> 1;
    spare(victims, middle, to, borrowing, needed);
    spare(victims, from, middle, borrowing, needed);
  }

  QuotaTree tree() {
    return tree;
  }

  /** Charges the preemptor, for shares that include it. */
  void charge() {
    preemptor.asks().forEach((cell, amount) -> tree.use(preemptor.queue(), cell, amount));
  }

  void discharge() {
    preemptor.asks().forEach((cell, amount) -> tree.free(preemptor.queue(), cell, amount));
  }

  static List<RunningJob> sorted(Collection<RunningJob> jobs, Preemptor preemptor) {
    return jobs.stream().sorted(RunningJob.cheapestFirst(preemptor.queue())).toList();
  }
}

package dev.fairlead.workload.service.contact;

import static java.util.Comparator.comparing;

import dev.fairlead.health.ConditionIntake;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodeReport;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Carries conditions of a cluster's nodes to health: a bounded number at a time, the oldest first,
 * so that a cluster on which all nodes turn bad at once fills neither tables nor logs. What waits
 * is still there at the next turn, or is over.
 */
final class ConditionWatch {
  /** Taken at once, and again after each {@link #PAUSE}. */
  static final int MOST = 100;

  static final Duration PAUSE = Duration.ofSeconds(10);

  private final ClusterId cluster;
  private final ConditionIntake intake;
  private final Transactions transactions;
  private final TokenBucket turns;
  private final Set<ConditionIntake.NodeFault> settled = new HashSet<>();
  private final SortedSet<String> asked = new TreeSet<>();
  private SortedSet<String> sick = new TreeSet<>();
  private SortedSet<NodeId> quarantined = new TreeSet<>();

  ConditionWatch(
      ClusterId cluster, ConditionIntake intake, Transactions transactions, MonotonicClock clock) {
    this.cluster = cluster;
    this.intake = intake;
    this.transactions = transactions;
    this.turns = new TokenBucket(1, PAUSE, clock);
  }

  /**
   * True when something was taken, or is over.
   *
   * @param out nodes of which a quarantine stands
   */
  boolean look(HeldLease lease, Collection<NodeReport> nodes, SortedSet<NodeId> out, Instant now) {
    List<ConditionIntake.NodeFault> shown = shown(nodes);
    SortedSet<String> names = new TreeSet<>();
    shown.forEach(s -> names.add(s.node()));
    settled.retainAll(new HashSet<>(shown));
    if (!out.containsAll(quarantined)) {
      settled.clear(); // one ended: by its time its condition isolates the node again
    }
    List<ConditionIntake.NodeFault> due =
        shown.stream()
            .filter(s -> !settled.contains(s))
            .sorted(comparing(s -> s.condition().since()))
            .limit(MOST)
            .toList();
    // an isolated node whose condition is over, also when another process saw that it was not
    SortedSet<String> over = new TreeSet<>(asked);
    over.removeAll(names);
    boolean clears =
        !over.isEmpty() || !out.isEmpty() && (!names.equals(sick) || !out.equals(quarantined));
    if (due.isEmpty() && !clears || !turns.take()) {
      return false;
    }
    transactions.runFenced(
        lease,
        () -> {
          if (clears) {
            intake.clear(cluster, out, over, names, now);
          }
          if (!due.isEmpty()) {
            settled.addAll(intake.take(cluster, due, now));
          }
        });
    asked.removeAll(over);
    due.forEach(s -> asked.add(s.node()));
    sick = names;
    quarantined = out;
    return true;
  }

  private static List<ConditionIntake.NodeFault> shown(Collection<NodeReport> nodes) {
    List<ConditionIntake.NodeFault> shown = new ArrayList<>();
    for (NodeReport node : nodes) {
      node.faults().forEach(c -> shown.add(new ConditionIntake.NodeFault(node.name(), c)));
    }
    return shown;
  }
}

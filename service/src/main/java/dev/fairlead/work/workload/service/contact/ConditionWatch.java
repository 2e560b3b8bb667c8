package dev.fairlead.work.workload.service.contact;

import static java.util.Comparator.comparing;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toSet;

import dev.fairlead.care.health.Recovery;
import dev.fairlead.care.health.service.spi.NodeFaults;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Passes conditions of a cluster's nodes to health: a bounded number at a time, the oldest first,
 * so that a cluster on which all nodes fail simultaneously fills neither tables nor logs. Waiting
 * conditions are read again in the next pass, or are over.
 */
final class ConditionWatch {
  /**
   * Conditions accepted immediately, and again after each {@link #PAUSE}: separately for nodes with
   * GPUs and for others. The circuit breaker counts them separately too, so conditions that it
   * stops do not delay the other kind.
   */
  static final int MOST = 100;

  static final Duration PAUSE = Duration.ofSeconds(10);

  private final ClusterId cluster;
  private final NodeFaults intake;
  private final Transactions transactions;
  private final TokenBucket turns;
  private final Map<NodeFaults.NodeFault, Instant> settled = new HashMap<>();
  private final SortedMap<String, Instant> well = new TreeMap<>();
  private final Map<String, Instant> later = new HashMap<>();
  private @Nullable Set<String> open;
  private SortedSet<NodeId> quarantined = new TreeSet<>();

  ConditionWatch(
      ClusterId cluster, NodeFaults intake, Transactions transactions, MonotonicClock clock) {
    this.cluster = cluster;
    this.intake = intake;
    this.transactions = transactions;
    this.turns = new TokenBucket(1, PAUSE, clock);
  }

  /** Called when another process takes over. Incidents are then read again. */
  void forget() {
    open = null;
    settled.clear();
    well.clear();
    later.clear();
  }

  /**
   * Returns true when a condition was accepted, or has ended.
   *
   * @param out nodes with an active quarantine
   */
  boolean look(HeldLease lease, Collection<NodeReport> nodes, SortedSet<NodeId> out, Instant now) {
    Set<String> sick = open == null ? new TreeSet<>(intake.open(cluster)) : open;
    open = sick;
    List<NodeFaults.NodeFault> shown = shown(nodes);
    settled.keySet().retainAll(new HashSet<>(shown));
    if (!out.containsAll(quarantined)) {
      settled.clear(); // conditions of ended incidents count again
    }
    quarantined = out;
    note(nodes, sick, now);
    List<NodeFaults.NodeFault> due = shown.isEmpty() ? List.of() : due(shown, withGpus(nodes), now);
    Map<String, Instant> over = over(now);
    if (due.isEmpty() && over.isEmpty() || !turns.take()) {
      return false;
    }
    Answer answer =
        transactions.callFenced(
            lease,
            () ->
                new Answer(
                    over.isEmpty() ? Map.of() : intake.clear(cluster, over, now),
                    due.isEmpty() ? Map.of() : intake.take(cluster, due, now)));
    later.putAll(answer.later()); // only committed conditions count
    over.keySet().stream().filter(n -> !answer.later().containsKey(n)).forEach(sick::remove);
    settled.putAll(answer.settled());
    due.forEach(s -> sick.add(s.node()));
    return true;
  }

  private record Answer(Map<String, Instant> later, Map<NodeFaults.NodeFault, Instant> settled) {}

  /**
   * Records the time since when each sick node has been ready without a condition, as observed by
   * this process.
   */
  private void note(Collection<NodeReport> nodes, Set<String> sick, Instant now) {
    Set<String> seen = new HashSet<>();
    for (NodeReport node : nodes) {
      if (node.ready() && node.faults().isEmpty() && sick.contains(node.name())) {
        seen.add(node.name());
        well.putIfAbsent(node.name(), now);
      }
    }
    well.keySet().retainAll(seen);
    later.keySet().retainAll(seen);
  }

  private Map<String, Instant> over(Instant now) {
    Map<String, Instant> over = new TreeMap<>();
    well.forEach((node, since) -> {
      Instant end = later.getOrDefault(node, since.plus(Recovery.LEAST));
      if (!now.isBefore(end) && over.size() < MOST) {
        over.put(node, since);
      }
    });
    return over;
  }

  /** Conditions that were never reported come first, so that others cannot delay them. */
  private List<NodeFaults.NodeFault> due(
      List<NodeFaults.NodeFault> shown, Set<String> gpus, Instant now) {
    return shown.stream()
        .filter(s -> !now.isBefore(settled.getOrDefault(s, Instant.MIN)))
        .sorted(
            comparing((NodeFaults.NodeFault s) -> settled.containsKey(s))
                .thenComparing(s -> s.condition().since()))
        .collect(partitioningBy(s -> gpus.contains(s.node())))
        .values()
        .stream()
        .flatMap(kind -> kind.stream().limit(MOST))
        .toList();
  }

  private static Set<String> withGpus(Collection<NodeReport> nodes) {
    return nodes.stream()
        .filter(n -> !n.gpuModel().equals(Flavor.CPU)) // including a node with no GPU left
        .map(NodeReport::name)
        .collect(toSet());
  }

  private static List<NodeFaults.NodeFault> shown(Collection<NodeReport> nodes) {
    List<NodeFaults.NodeFault> shown = new ArrayList<>();
    for (NodeReport node : nodes) {
      node.faults().forEach(c -> shown.add(new NodeFaults.NodeFault(node.name(), c)));
    }
    return shown;
  }
}

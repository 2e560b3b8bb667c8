package dev.fairlead.work.workload.service.contact;

import dev.fairlead.fleet.node.AnnouncedNotice;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeNotice;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Follows the notices of a cluster's machines: assumes a deadline where no sign has one, opens a
 * node when its notice is withdrawn, and holds it closed for a while if that happens repeatedly.
 */
final class NoticeWatch {
  /** A node that is held closed opens after this time. */
  static final Duration HELD = NodeNotice.Kind.WITHDRAWN.within();

  /** Withdrawals in this time count. Autoscalers wait ten minutes and more for another machine. */
  static final Duration RECENT = Duration.ofMinutes(30);

  /** Withdrawals of the notices of a node after which it is held closed. */
  static final int MOST = 2;

  /** A machine with members is overdue this long after its deadline. */
  static final Duration OVERDUE = Duration.ofMinutes(1);

  private static final Duration COUNT = Duration.ofSeconds(5);

  private final ClusterId cluster;
  private final ClosedPlaces places;
  private final Map<String, NodeNotice> known = new TreeMap<>();
  private final Map<String, List<Instant>> withdrawn = new HashMap<>();
  private boolean loaded;
  private @Nullable Instant next;
  private @Nullable Instant counted;
  private volatile NoticeCount count = NoticeCount.NONE;

  NoticeWatch(ClusterId cluster, ClosedPlaces places) {
    this.cluster = cluster;
    this.places = places;
  }

  /**
   * Called when another process takes over. Deadlines that the other process assumes are read from
   * the nodes.
   */
  void forget() {
    loaded = false;
    known.clear();
    withdrawn.clear();
    next = null;
    counted = null;
    count = NoticeCount.NONE;
  }

  /** Returns the numbers of the last pass. May be called by any thread. */
  NoticeCount count() {
    return count;
  }

  /** Returns whether a node closes or opens by time, so that the reports must be read again. */
  boolean due(Instant now) {
    return next != null && !now.isBefore(next);
  }

  /**
   * Returns the reports with their notices as they apply now.
   *
   * @param announced notices from outside the cluster
   */
  List<NodeReport> read(List<NodeReport> shown, List<AnnouncedNotice> announced, Instant now) {
    if (!loaded) {
      stored().forEach(n -> NodeNotice.of(n.taints()).ifPresent(it -> known.put(n.name(), it)));
      loaded = true;
    }
    Map<String, List<AnnouncedNotice>> outside =
        announced.stream().collect(Collectors.groupingBy(AnnouncedNotice::node));
    Map<String, NodeNotice> current = new TreeMap<>();
    List<Instant> changes = new ArrayList<>();
    List<NodeReport> read = new ArrayList<>();
    for (NodeReport report : shown) {
      NodeNotice before = known.get(report.name());
      List<AnnouncedNotice> applied =
          outside.getOrDefault(report.name(), List.of()).stream()
              .filter(it -> it.applies(report, now))
              .toList();
      applied.forEach(it -> changes.add(it.changes(now)));
      NodeNotice notice =
          Stream.concat(
                  NodeNotice.all(report.taints()).map(it -> it.resolved(before, now)),
                  applied.stream().map(AnnouncedNotice::notice))
              .min(
                  Comparator.comparingInt((NodeNotice n) -> rank(n, now))
                      .thenComparing(NodeNotice.SOONEST))
              .or(() -> held(report.name(), before, now))
              .orElse(null);
      read.add(notice == null ? report : report.noticed(notice, now));
      if (notice != null) {
        current.put(report.name(), notice);
      }
    }
    known.clear();
    known.putAll(current);
    withdrawn.values().removeIf(times -> times.getLast().plus(RECENT).isBefore(now));
    current.values().forEach(n -> changes(n, now).ifPresent(changes::add));
    next = changes.stream().min(Instant::compareTo).orElse(null);
    counted = null;
    return read;
  }

  /**
   * A rebalance advises to move and moves only some jobs, so it does not hide an end that is near.
   */
  private static int rank(NodeNotice notice, Instant now) {
    boolean advice = notice.kind() == NodeNotice.Kind.REBALANCE;
    return notice.stops() && !advice && notice.closes(now) ? 0 : advice ? 1 : 2;
  }

  /** Returns the notice that keeps a node closed after repeated withdrawals. */
  private Optional<NodeNotice> held(String node, @Nullable NodeNotice before, Instant now) {
    if (before == null) {
      return Optional.empty();
    }
    if (before.kind() == NodeNotice.Kind.WITHDRAWN) {
      /* A later end was set by a clock that has been set back since. */
      return Optional.ofNullable(before.deadline())
          .filter(end -> end.isAfter(now) && !end.isAfter(now.plus(HELD)))
          .map(before::by);
    }
    List<Instant> times = withdrawn.computeIfAbsent(node, none -> new ArrayList<>());
    times.removeIf(at -> at.plus(RECENT).isBefore(now));
    times.add(now);
    return times.size() < MOST
        ? Optional.empty()
        : Optional.of(
            new NodeNotice(
                NodeNotice.Kind.WITHDRAWN,
                before.source(),
                "withdrawn " + times.size() + " times in " + RECENT.toMinutes() + " minutes",
                now.plus(HELD),
                HELD));
  }

  /** Returns when the notice opens or closes its node. */
  private static Optional<Instant> changes(NodeNotice notice, Instant now) {
    Instant deadline = notice.deadline();
    if (deadline == null) {
      return Optional.empty();
    }
    if (notice.kind() == NodeNotice.Kind.WITHDRAWN) {
      return Optional.of(deadline);
    }
    return notice.closes(now)
        ? Optional.empty()
        : Optional.of(deadline.minus(NodeNotice.CLOSES).plusMillis(1));
  }

  /**
   * Counts the notices, and the machines that still have members after their deadline.
   *
   * @param busy reads the nodes with members, only if a deadline has passed
   */
  void count(Map<String, NodeReport> nodes, Supplier<SortedSet<NodeId>> busy, Instant now) {
    if (counted != null && now.isBefore(counted.plus(COUNT)) && !now.isBefore(counted)) {
      return;
    }
    counted = now;
    Map<NodeNotice.Kind, Integer> kinds = new EnumMap<>(NodeNotice.Kind.class);
    SortedSet<String> late = new TreeSet<>();
    known.forEach((name, notice) -> {
      kinds.merge(notice.kind(), 1, Integer::sum);
      NodeReport report = nodes.get(name);
      Instant deadline = notice.deadline();
      if (notice.stops()
          && report != null
          && !report.machineGone()
          && deadline != null
          && deadline.plus(OVERDUE).isBefore(now)) {
        late.add(name);
      }
    });
    count = new NoticeCount(kinds, late.isEmpty() ? 0 : overdue(late, busy.get()));
  }

  private int overdue(SortedSet<String> late, SortedSet<NodeId> busy) {
    return (int)
        stored().stream().filter(n -> late.contains(n.name()) && busy.contains(n.id())).count();
  }

  private List<Node> stored() {
    return places.nodes().stream().filter(n -> n.cluster().equals(cluster)).toList();
  }
}

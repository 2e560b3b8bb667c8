package dev.fairlead.work.job.service.query;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.UnansweredPod;
import dev.fairlead.work.job.store.JobStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Explains which attempts cannot be observed, by the current state of their clusters and nodes. */
final class UnreachableAttempts {
  private static final int MOST_NAMED = 3;

  /** Time beyond its grace period after which a stop counts as failed. */
  private static final Duration OBEYING = Duration.ofMinutes(1);

  /** Longer than the interval at which an answering cluster is recorded as seen. */
  private static final Duration SILENT = Duration.ofMinutes(1);

  private final InventoryStore inventory;
  private final JobStore jobs;

  /** Silent clusters by id, and visible nodes. */
  private record Fleet(Map<ClusterId, String> hidden, Set<NodeId> seen) {}

  UnreachableAttempts(InventoryStore inventory, JobStore jobs) {
    this.inventory = inventory;
    this.jobs = jobs;
  }

  /**
   * Unreachable attempts by job. Skips attempts that are visible and whose cluster has reported on
   * their pods, that have ended, or that still have time to stop. Reads twice if a candidate
   * exists, otherwise not at all.
   */
  Map<JobId, Unreachable> of(Collection<Attempt> newest) {
    Map<Attempt, Instant> since = new LinkedHashMap<>();
    for (Attempt attempt : newest) {
      Instant from = since(attempt);
      if (from != null) {
        since.put(attempt, from);
      }
    }
    Map<JobId, Unreachable> unreachable = new TreeMap<>();
    if (!since.isEmpty()) {
      Fleet fleet = fleet(since.keySet());
      since.forEach(
          (attempt, from) -> unreachable.put(attempt.job(), unreachable(attempt, from, fleet)));
    }
    return unreachable;
  }

  private @Nullable Instant since(Attempt attempt) {
    Attempt.StopOrder stop = attempt.stop();
    if (attempt.state() == AttemptState.STOPPING && stop != null) {
      Instant late = stop.deadline().plus(OBEYING);
      return jobs.now().isAfter(late) ? stop.deadline() : null;
    }
    if (attempt.state() != AttemptState.UNKNOWN) {
      return unanswered(attempt)
          .map(UnansweredPod::since)
          .min(Comparator.naturalOrder())
          .orElse(null);
    }
    Instant unreachable = attempt.unreachableSince();
    return unreachable == null ? attempt.createdAt() : unreachable;
  }

  private Fleet fleet(Set<Attempt> attempts) {
    Map<ClusterId, String> hidden =
        inventory.clusters().stream()
            .filter(this::hidden)
            .collect(Collectors.toMap(Cluster::id, c -> c.name() + " (" + c.state() + ")"));
    Set<NodeId> nodes =
        attempts.stream()
            .filter(attempt -> !hidden.containsKey(attempt.cluster()))
            .flatMap(attempt -> living(attempt).stream())
            .map(Member::node)
            .collect(Collectors.toSet());
    Set<NodeId> seen =
        (nodes.isEmpty() ? List.<Node>of() : inventory.inService(nodes))
            .stream()
                .filter(node -> node.state() != NodeState.UNREACHABLE)
                .map(Node::id)
                .collect(Collectors.toSet());
    return new Fleet(hidden, seen);
  }

  /**
   * Returns whether the cluster is silent. A drained or disabled cluster may be silent too, without
   * the state UNREACHABLE.
   */
  private boolean hidden(Cluster cluster) {
    Instant seen = cluster.lastSeenAt();
    return cluster.state() == ClusterState.UNREACHABLE
        || cluster.state() == ClusterState.DISABLED
        || seen == null
        || seen.isBefore(jobs.now().minus(SILENT));
  }

  private static Unreachable unreachable(Attempt attempt, Instant since, Fleet fleet) {
    List<Member> living = living(attempt);
    String cluster = fleet.hidden().get(attempt.cluster());
    if (cluster != null) {
      String message = "cluster " + cluster + " cannot be seen";
      return new Unreachable(since, Unreachable.Scope.CLUSTER, message, living);
    }
    List<String> nodes =
        living.stream()
            .filter(member -> !fleet.seen().contains(member.node()))
            .map(Member::nodeName)
            .distinct()
            .sorted()
            .toList();
    return nodes.isEmpty()
        ? new Unreachable(since, Unreachable.Scope.POD, gone(attempt, living), living)
        : new Unreachable(since, Unreachable.Scope.NODE, named(nodes), living);
  }

  private static List<Member> living(Attempt attempt) {
    return attempt.members().stream().filter(member -> !member.dead()).toList();
  }

  private static String gone(Attempt attempt, List<Member> living) {
    List<String> asked = unanswered(attempt).map(UnreachableAttempts::asked).toList();
    if (!asked.isEmpty()) {
      return "its cluster has not answered for "
          + some(asked)
          + " about a pod missing from its list. Fairlead repeats the query, and the resources stay allocated until then.";
    }
    List<String> refused =
        living.stream().filter(Member::endless).map(UnreachableAttempts::place).toList();
    if (!refused.isEmpty()) {
      return "its kubelet was unreachable, then refused a pod that had run, and does not report how"
          + " its process ended: "
          + some(refused);
    }
    List<String> pods = living.stream().map(UnreachableAttempts::place).toList();
    return attempt.state() == AttemptState.STOPPING
        ? "it was ordered to stop and has not ended, although its cluster and nodes are reachable: "
            + some(pods)
        : "one of its pods is missing, although its cluster and nodes are reachable";
  }

  private static Stream<Member> unanswered(Attempt attempt) {
    return attempt.members().stream().filter(m -> UnansweredPod.since(m) != null);
  }

  private static String asked(Member member) {
    return place(member) + " since " + UnansweredPod.since(member);
  }

  private static String place(Member member) {
    return member.key() + " on " + member.nodeName();
  }

  private static String named(List<String> nodes) {
    return (nodes.size() == 1 ? "node " : "nodes ") + some(nodes) + " cannot be seen";
  }

  private static String some(List<String> names) {
    int more = names.size() - MOST_NAMED;
    return String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMED)))
        + (more > 0 ? " and " + more + " more" : "");
  }
}

package dev.fairlead.work.placement.backoff;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.spec.PreflightSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The avoided nodes and the end of each back-off. They are derived from stored failures, so they
 * survive a restart. After a failure, the failed job avoids the node immediately, unless it failed
 * because of a GPU that is already out of service. All jobs avoid the node if the machine itself
 * failed or if other jobs failed there too, because a job that fails on every node must not close
 * the fleet. A node that failed a test before its job was to start is avoided by that job for an
 * hour. If several jobs failed on at least half of a cluster's nodes, other jobs avoid these nodes
 * too.
 */
public final class BackOffs {
  public static final BackOffs NONE = new BackOffs(BackOffPolicy.DEFAULT);

  private static final int OTHERS = 2;

  private final BackOffPolicy policy;
  private final SortedMap<NodeId, Against> against = new TreeMap<>();
  private final SortedMap<NodeId, Instant> everybody = new TreeMap<>();
  private final SortedMap<JobId, SortedMap<NodeId, Instant>> own = new TreeMap<>();

  private BackOffs(BackOffPolicy policy) {
    this.policy = policy;
  }

  /**
   * Computes the back-offs at the time of the read. A failure after that time comes from a clock
   * that was set back, and is ignored.
   */
  public static BackOffs of(World world) {
    if (world.placeFailures().isEmpty() && world.preflights().isEmpty()) {
      return NONE;
    }
    BackOffs backOffs = new BackOffs(BackOffPolicy.DEFAULT);
    SortedMap<NodeId, List<Gpu>> gpus = gpusOfFailed(world);
    for (PlaceFailure failure : world.placeFailures()) {
      boolean isolated = isolated(failure.gpu(), gpus.getOrDefault(failure.node(), List.of()));
      if (failure.refusal() == null && !isolated && !failure.at().isAfter(world.asOf())) {
        backOffs.against.computeIfAbsent(failure.node(), n -> new Against()).add(failure);
      }
    }
    backOffs.against.forEach((node, what) -> backOffs.nodes(node, what, world.asOf()));
    backOffs.clusters(world.nodes(), world.asOf());
    backOffs.preflights(world);
    return backOffs;
  }

  private static SortedMap<NodeId, List<Gpu>> gpusOfFailed(World world) {
    SortedSet<NodeId> failed = new TreeSet<>();
    for (PlaceFailure failure : world.placeFailures()) {
      if (failure.gpu() != null) {
        failed.add(failure.node());
      }
    }
    SortedMap<NodeId, List<Gpu>> gpus = new TreeMap<>();
    for (Node node : failed.isEmpty() ? List.<Node>of() : world.nodes()) {
      if (failed.contains(node.id())) {
        gpus.put(node.id(), node.gpus());
      }
    }
    return gpus;
  }

  /**
   * Returns whether the node gets no more jobs on this GPU. The node must report its GPUs by their
   * UUIDs.
   */
  private static boolean isolated(@Nullable String gpu, List<Gpu> all) {
    return gpu != null
        && all.stream().anyMatch(each -> DeviceUuid.matches(each.serial()))
        && all.stream().noneMatch(each -> each.serial().equals(gpu) && each.usable());
  }

  /** Failures recorded on one node. */
  private static final class Against {
    private final SortedMap<FailureCause, Integer> times = new TreeMap<>();
    private final SortedMap<FailureCause, Instant> newest = new TreeMap<>();
    private final SortedMap<JobId, SortedSet<FailureCause>> jobs = new TreeMap<>();

    void add(PlaceFailure failure) {
      times.merge(failure.cause(), 1, Integer::sum);
      newest.merge(failure.cause(), failure.at(), (a, b) -> a.isAfter(b) ? a : b);
      jobs.computeIfAbsent(failure.job(), j -> new TreeSet<>()).add(failure.cause());
    }

    Instant end(Collection<FailureCause> causes, BackOffPolicy policy) {
      return causes.stream()
          .map(c ->
              newest.getOrDefault(c, Instant.MIN).plus(policy.after(c, times.getOrDefault(c, 1))))
          .max(Comparator.naturalOrder())
          .orElse(Instant.MIN);
    }
  }

  private void nodes(NodeId node, Against what, Instant asOf) {
    SortedSet<FailureCause> common = new TreeSet<>(what.times.keySet());
    if (what.jobs.size() < OTHERS) {
      common.removeIf(cause -> cause != FailureCause.NODE_FAILURE);
    }
    Instant forAll = what.end(common, policy);
    if (forAll.isAfter(asOf)) {
      everybody.put(node, forAll);
    }
    what.jobs.forEach((job, causes) -> {
      Instant its = what.end(causes, policy);
      if (its.isAfter(asOf)) {
        own.computeIfAbsent(job, j -> new TreeMap<>()).put(node, its);
      }
    });
  }

  private void clusters(List<Node> nodes, Instant asOf) {
    SortedMap<ClusterId, SortedMap<NodeId, Node>> byCluster = new TreeMap<>();
    for (Node node : nodes) {
      if (node.state() != NodeState.RETIRED) {
        byCluster.computeIfAbsent(node.cluster(), c -> new TreeMap<>()).put(node.id(), node);
      }
    }
    byCluster.values().forEach(of -> cluster(of.keySet(), asOf));
  }

  private void cluster(Collection<NodeId> nodes, Instant asOf) {
    List<Instant> ends = new ArrayList<>();
    SortedSet<JobId> jobs = new TreeSet<>();
    for (NodeId node : nodes) {
      Against what = against.get(node);
      Instant end = what == null ? asOf : what.end(what.times.keySet(), policy);
      if (what != null && end.isAfter(asOf)) {
        ends.add(end);
        jobs.addAll(what.jobs.keySet());
      }
    }
    int enough = Math.max(policy.cluster(), (nodes.size() + 1) / 2);
    if (ends.size() >= enough && jobs.size() >= policy.cluster()) {
      ends.sort(Comparator.reverseOrder());
      Instant until = ends.get(enough - 1);
      nodes.forEach(node -> everybody.merge(node, until, (a, b) -> a.isAfter(b) ? a : b));
    }
  }

  /**
   * Adds nodes that failed a test for a job, and nodes that a job gave up because they could not be
   * tested.
   */
  private void preflights(World world) {
    SortedMap<JobId, PreflightSpec> asked = new TreeMap<>();
    for (PendingJob waiting :
        world.preflights().isEmpty() ? List.<PendingJob>of() : world.pending()) {
      PreflightSpec spec = waiting.job().spec().preflight();
      if (spec != null) {
        asked.put(waiting.job().id(), spec);
      }
    }
    for (Preflight test : world.preflights()) {
      PreflightSpec spec = asked.get(test.of().job());
      Instant until = test.at().plus(PreflightProgress.REMEMBERED);
      if (spec != null && until.isAfter(world.asOf()) && against(test, spec)) {
        own.computeIfAbsent(test.of().job(), j -> new TreeMap<>())
            .merge(test.node(), until, (a, b) -> a.isAfter(b) ? a : b);
      }
    }
  }

  private static boolean against(Preflight test, PreflightSpec spec) {
    return switch (test.verdict()) {
      case FAILED -> true;
      case UNTESTED -> spec.onUntested() == PreflightSpec.OnUntested.WAIT;
      case RUNS, PASSED -> false;
    };
  }

  /**
   * Returns the nodes that all jobs avoid, with the end of the back-off, which is after the time of
   * the read.
   */
  public SortedMap<NodeId, Instant> everybody() {
    return Collections.unmodifiableSortedMap(everybody);
  }

  /** Returns the nodes that the job avoids because of its own failures. */
  public SortedMap<NodeId, Instant> of(JobId job) {
    SortedMap<NodeId, Instant> its = own.get(job);
    return its == null ? Collections.emptySortedMap() : Collections.unmodifiableSortedMap(its);
  }

  /** Returns the number of recorded failures on the node. */
  public int failures(NodeId node) {
    Against what = against.get(node);
    return what == null ? 0 : what.times.values().stream().mapToInt(Integer::intValue).sum();
  }
}

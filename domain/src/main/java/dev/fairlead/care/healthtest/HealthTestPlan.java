package dev.fairlead.care.healthtest;

import dev.fairlead.care.health.Incident;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.PreemptionSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The next nodes to test, the job, and the interpretation of its end. Pure. */
public final class HealthTestPlan {
  /**
   * A run with a job that is not placed after this time is abandoned, because its node is needed.
   */
  public static final Duration WAITS = Duration.ofMinutes(10);

  /** Retry delay for a node after a run without a result. */
  public static final Duration AGAIN = Duration.ofHours(1);

  /** Number of consecutive runs without a pass after which the test itself is doubted. */
  public static final int DOUBTED = 3;

  private static final String FOUND = "test ";

  private HealthTestPlan() {}

  /**
   * Result of a run.
   *
   * @param cancel whether its job is still to be cancelled
   * @param isolates whether its node is taken out of service
   */
  public record End(HealthTestOutcome outcome, String message, boolean cancel, boolean isolates) {
    private static End of(HealthTestOutcome outcome, String message) {
      return new End(outcome, message, false, outcome == HealthTestOutcome.FAILED);
    }

    /** Its job is about to end, regardless of its result. */
    public static End givenUp(String message) {
      return new End(HealthTestOutcome.INTERRUPTED, message, true, false);
    }
  }

  /** Returns whether the node is idle and could run a job. */
  public static boolean idle(Node node) {
    return node.state() == NodeState.ACTIVE
        && node.allocated().pods() == 0
        && node.foreign().gpuMilli() == 0;
  }

  /**
   * The due nodes, longest untested first.
   *
   * @param idle covered nodes
   * @param since time since when each node has been idle
   * @param last the newest run of the test on each node
   * @param open runs of all tests that are under way
   */
  public static List<Node> due(
      HealthTest test,
      List<Node> idle,
      SortedMap<NodeId, Instant> since,
      SortedMap<NodeId, HealthTestRun> last,
      Collection<HealthTestRun> open,
      Instant now) {
    long under = open.stream().filter(run -> run.test().equals(test.name())).count();
    return idle.stream()
        .filter(node ->
            !since
                .getOrDefault(node.id(), Instant.MAX.minus(test.idleFor()))
                .plus(test.idleFor())
                .isAfter(now))
        .filter(node -> open.stream().noneMatch(run -> run.node().equals(node.id())))
        .filter(node -> due(test, last.get(node.id()), now))
        .sorted(
            Comparator.comparing((Node node) -> began(last.get(node.id())))
                .thenComparing(Node::name)
                .thenComparing(Node::id))
        .limit(Math.max(0, test.atOnce() - under))
        .toList();
  }

  private static Instant began(@Nullable HealthTestRun run) {
    return run == null ? Instant.MIN : run.startedAt();
  }

  /**
   * Returns whether a node should be tested now.
   *
   * @param last newest run on the node, null if none
   */
  public static boolean due(HealthTest test, @Nullable HealthTestRun last, Instant now) {
    Duration every = test.every();
    if (every == null) {
      return false;
    }
    if (last == null) {
      return true;
    }
    Instant ended = last.endedAt();
    HealthTestOutcome outcome = last.outcome();
    if (ended == null || outcome == null) {
      return false;
    }
    Duration wait = outcome.judges() || every.compareTo(AGAIN) < 0 ? every : AGAIN;
    return !ended.plus(wait).isAfter(now);
  }

  /**
   * Reason why the schedule tests no more nodes, empty when it does.
   *
   * @param newest its newest runs
   */
  public static String doubt(HealthTest test, List<HealthTestRun> newest) {
    List<HealthTestRun> counted =
        newest.stream()
            .filter(run -> !run.startedAt().isBefore(test.changedAt()))
            .filter(run -> run.outcome() != null && run.outcome() != HealthTestOutcome.INTERRUPTED)
            .limit(DOUBTED)
            .toList();
    boolean none = counted.stream().noneMatch(run -> run.outcome() == HealthTestOutcome.PASSED);
    return counted.size() == DOUBTED && none
        ? ("its last %d runs passed on no node: the test itself may be wrong. Check their jobs,"
                + " and set the test again")
            .formatted(DOUBTED)
        : "";
  }

  /**
   * The job that runs the test, bound to its node, with the lowest priority and a single attempt.
   */
  public static JobSpec job(HealthTest test, HealthTestRun run, Node node, Cluster cluster) {
    JobSpec given = test.job();
    return JobSpec.of(
            "test-" + run.id().bare(),
            given.queue(),
            List.of(role(test, run, node)),
            new PreemptionSpec(true, given.preemption().gracePeriod(), Duration.ZERO))
        .with()
        .priorityClass(PriorityClass.LOW)
        .placement(bound(given.placement(), node, cluster))
        .launcher(given.launcher())
        .maxRuntime(given.maxRuntime())
        .retry(new RetryPolicy(1, List.of()))
        .onUnreachable(given.onUnreachable())
        .volumes(given.volumes())
        .licences(given.licences())
        .labels(given.labels())
        .annotations(given.annotations())
        .build();
  }

  /** For a waiting job, the test uses the GPUs that the job has reserved on the node. */
  private static RoleSpec role(HealthTest test, HealthTestRun run, Node node) {
    RoleSpec given = test.role();
    HealthTestRun.Demand wanted = run.wanted();
    GpuRequest gpu =
        wanted != null
            ? GpuRequest.whole(wanted.gpus())
            : given.gpu().kind() == GpuRequest.Kind.NONE
                ? GpuRequest.whole(test.gpus(node))
                : given.gpu();
    return given.with().count(1).minCount(1).gpu(gpu).topology(null).build();
  }

  /** Number of GPUs of its node that the run tests, 0 for all. */
  public static int gpus(HealthTest test, HealthTestRun run) {
    HealthTestRun.Demand wanted = run.wanted();
    return wanted != null ? wanted.gpus() : test.role().gpu().count();
  }

  private static PlacementSpec bound(PlacementSpec given, Node node, Cluster cluster) {
    SortedMap<String, String> labels = new TreeMap<>(given.nodeLabels());
    labels.put(HealthTest.HOSTNAME, node.labels().getOrDefault(HealthTest.HOSTNAME, node.name()));
    return given
        .with()
        .clusters(List.of(cluster.name()))
        .nodeLabels(labels)
        .topology(null)
        .segment(null)
        .spread(null)
        .build();
  }

  /** Cause of the incident of a node that failed. */
  public static String cause(HealthTest test, String why) {
    return FOUND + test.name() + " failed: " + why;
  }

  /** Returns whether a health test opened the incident. */
  public static boolean found(Incident incident) {
    return incident.cause().startsWith(FOUND);
  }

  /**
   * Result of a run from the state of its job, empty before the end.
   *
   * @param usable whether its node accepts jobs
   */
  public static Optional<End> end(HealthTestRun run, JobStatus job, boolean usable, Instant now) {
    return switch (job.state()) {
      case SUCCEEDED -> Optional.of(End.of(HealthTestOutcome.PASSED, ""));
      case FAILED -> Optional.of(failed(job.failure()));
      case CANCELLED, CANCELLING ->
          Optional.of(End.of(HealthTestOutcome.INTERRUPTED, "its job was cancelled"));
      case SUSPENDED -> Optional.of(End.givenUp("its job was suspended"));
      case QUEUED -> waiting(run, job, usable, now);
      case ADMITTED, STARTING, RUNNING -> Optional.empty();
    };
  }

  private static Optional<End> waiting(
      HealthTestRun run, JobStatus job, boolean usable, Instant now) {
    Failure failure = job.failure();
    if (failure != null && failure.explained()) {
      return Optional.of(new End(HealthTestOutcome.FAILED, failure.message(), true, false));
    }
    if (job.attempts() > 0) {
      return Optional.of(End.givenUp(failure == null ? "its job was stopped" : failure.message()));
    }
    if (!usable) {
      return Optional.of(End.givenUp("its node accepts no more jobs"));
    }
    return run.startedAt().plus(WAITS).isAfter(now)
        ? Optional.empty()
        : Optional.of(End.givenUp("its job was not placed within 10 minutes"));
  }

  private static End failed(@Nullable Failure failure) {
    if (failure == null) {
      return End.of(HealthTestOutcome.BROKEN, "its job failed without a cause");
    }
    if (failure.explained()) {
      return new End(HealthTestOutcome.FAILED, failure.message(), false, false);
    }
    HealthTestOutcome outcome =
        switch (failure.cause()) {
          case USER_ERROR, GPU_FAULT -> HealthTestOutcome.FAILED;
          case DEADLINE_EXCEEDED, HANG -> HealthTestOutcome.HUNG;
          case OUT_OF_MEMORY,
              IMAGE_PULL,
              CONFIGURATION,
              START_TIMEOUT,
              DEPENDENCY_FAILED,
              OUTPUT_MISSING,
              SKIPPED,
              CHECK_REJECTED,
              STOPPED,
              PLATFORM ->
              HealthTestOutcome.BROKEN;
          case PREEMPTED, EVICTED, NODE_FAILURE, NETWORK, CLUSTER_LOST, PLACEMENT_CONFLICT ->
              HealthTestOutcome.INTERRUPTED;
        };
    return End.of(outcome, failure.message());
  }
}

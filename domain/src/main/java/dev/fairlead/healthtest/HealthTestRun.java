package dev.fairlead.healthtest;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.identity.JobId;
import dev.fairlead.node.Node;
import dev.fairlead.node.NodeId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One test of one node.
 *
 * @param test name of the test
 * @param actor the operator who asked for it, null when it was due
 * @param job that runs it, null before it is submitted
 * @param outcome null while it is under way
 * @param message why it ended so, empty while it is under way
 */
public record HealthTestRun(
    HealthTestRunId id,
    String test,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    @Nullable String actor,
    Instant startedAt,
    @Nullable JobId job,
    @Nullable HealthTestOutcome outcome,
    String message,
    @Nullable Instant endedAt) {
  public static HealthTestRun of(
      HealthTestRunId id, HealthTest test, Node node, @Nullable String actor, Instant now) {
    return new HealthTestRun(
        id, test.name(), node.cluster(), node.id(), node.name(), actor, now, null, null, "", null);
  }

  /** The same with the job that runs it. */
  public HealthTestRun running(JobId as) {
    return new HealthTestRun(
        id, test, cluster, node, nodeName, actor, startedAt, as, outcome, message, endedAt);
  }

  /** The same, over. */
  public HealthTestRun ended(HealthTestOutcome as, String why, Instant now) {
    return new HealthTestRun(
        id, test, cluster, node, nodeName, actor, startedAt, job, as, why, now);
  }
}

package dev.fairlead.care.healthtest.web;

import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.service.HealthTests;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A test of a node.
 *
 * @param test name of the test
 * @param node name of the node
 * @param cluster name of its cluster
 * @param actor the operator who asked for it, null when it was due
 * @param job that runs it, null before it is submitted
 * @param preflightOf the job that waits for it before it starts there, null when no job does
 * @param outcome null while it is under way
 * @param message why it ended so and what was done, empty while it is under way
 */
record HealthTestRunResponse(
    String id,
    String test,
    String nodeId,
    String node,
    String cluster,
    @Nullable String actor,
    Instant startedAt,
    @Nullable String job,
    @Nullable String preflightOf,
    @Nullable HealthTestOutcome outcome,
    String message,
    @Nullable Instant endedAt) {
  static HealthTestRunResponse of(HealthTests.RunView view) {
    HealthTestRun run = view.run();
    return new HealthTestRunResponse(
        run.id().text(),
        run.test(),
        run.node().text(),
        run.nodeName(),
        view.cluster(),
        run.actor(),
        run.startedAt(),
        run.job() == null ? null : run.job().text(),
        run.wanted() == null ? null : run.wanted().job().text(),
        run.outcome(),
        run.message(),
        run.endedAt());
  }
}

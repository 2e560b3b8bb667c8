package dev.fairlead.care.healthtest.service;

import dev.fairlead.care.healthtest.HealthTestOutcome;
import dev.fairlead.care.healthtest.HealthTestRun;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A test of a node, as the API returns it. */
@RecordBuilder
@Schema(name = "HealthTestRunResponse")
public record HealthTestRunView(
    @Schema(description = "Id of the run") String id,
    @Schema(description = "Name of the test") String test,
    @Schema(description = "Id of the node") String nodeId,
    @Schema(description = "Name of the node") String node,
    @Schema(description = "Name of the cluster of the node") String cluster,
    @Schema(description = "Operator that requested the run, or null for a scheduled run")
        @Nullable String actor,
    @Schema(description = "Time when the run began") Instant startedAt,
    @Schema(description = "Id of the job that runs the test, or null until its submit")
        @Nullable String job,
    @Schema(description = "Id of the job that waits for the run before it starts, or null")
        @Nullable String preflightOf,
    @Schema(description = "Result of the run, or null until its end")
        @Nullable HealthTestOutcome outcome,
    @Schema(description = "Reason for the result and its consequences, empty before the end")
        String message,
    @Schema(description = "Time when the run ended, or null until its end")
        @Nullable Instant endedAt) {
  static HealthTestRunView of(HealthTestRun run, String cluster) {
    return HealthTestRunViewBuilder.builder()
        .id(run.id().text())
        .test(run.test())
        .nodeId(run.node().text())
        .node(run.nodeName())
        .cluster(cluster)
        .actor(run.actor())
        .startedAt(run.startedAt())
        .job(run.job() == null ? null : run.job().text())
        .preflightOf(run.wanted() == null ? null : run.wanted().job().text())
        .outcome(run.outcome())
        .message(run.message())
        .endedAt(run.endedAt())
        .build();
  }
}

package dev.fairlead.care.healthtest.service;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.spec.RoleSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A health test and its progress, as the API returns it. */
@RecordBuilder
@Schema(name = "HealthTestResponse")
public record HealthTestView(
    @Schema(description = "Name of the test, a DNS label") String name,
    @Schema(description = "Project in which its jobs run") String project,
    @Schema(description = "Queue of its jobs, or null for the default queue of the project")
        @Nullable String queue,
    @Schema(description = "Image of its jobs") String image,
    @Schema(description = "Entry point and arguments, or empty for the defaults of the image")
        List<String> command,
    @Schema(description = "Time after which a run counts as hung") String maxRuntime,
    @Schema(description = "Interval between tests of a node, or null for runs on demand only")
        @Nullable String every,
    @Schema(description = "Time that a node must have been idle before it is tested")
        String idleFor,
    @Schema(description = "Maximum number of nodes that are tested at a time") int atOnce,
    @Schema(description = "Repair of a node that fails") RepairStep step,
    @Schema(description = "Operator who set the test") String actor,
    @Schema(description = "Time of the last change") Instant changedAt,
    @Schema(description = "Number of nodes that the test covers") int nodes,
    @Schema(description = "Number of these nodes that were tested and are not due again")
        int tested,
    @Schema(description = "Number of runs that have not ended") int underWay,
    @Schema(description = "Reason why no scheduled run starts, or empty if runs can start")
        String message) {
  static HealthTestView of(HealthTest test, int nodes, int tested, int underWay, String message) {
    RoleSpec role = test.job().roles().getFirst();
    List<String> command = new ArrayList<>(role.command().command());
    command.addAll(role.command().args());
    String queue = test.job().queue();
    return HealthTestViewBuilder.builder()
        .name(test.name())
        .project(test.project())
        .queue(queue.isEmpty() ? null : queue)
        .image(role.image())
        .command(command)
        .maxRuntime(text(test.job().maxRuntime()))
        .every(test.every() == null ? null : text(test.every()))
        .idleFor(text(test.idleFor()))
        .atOnce(test.atOnce())
        .step(test.step())
        .actor(test.actor())
        .changedAt(test.changedAt())
        .nodes(nodes)
        .tested(tested)
        .underWay(underWay)
        .message(message)
        .build();
  }

  private static String text(@Nullable Duration duration) {
    return DurationText.of(duration == null ? Duration.ZERO : duration);
  }
}

package dev.fairlead.care.healthtest.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.service.HealthTests;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A test that nodes have to pass.
 *
 * @param project in which its jobs run
 * @param queue that they go to, null for that of the project
 * @param command entry point and arguments, empty for those of the image
 * @param maxRuntime after it a run counts as hung
 * @param every after so long a node that was tested is due again, null when it runs on demand only
 * @param idleFor a node is tested when nothing has run there for so long
 * @param atOnce nodes that are tested at a time at most
 * @param step what repairs a node that fails
 * @param nodes how many it covers
 * @param tested how many of them have been tested and are not due again
 * @param underWay runs that have not ended
 * @param message why no node is tested by the clock, empty when nothing is in the way
 */
record HealthTestResponse(
    String name,
    String project,
    @Nullable String queue,
    String image,
    List<String> command,
    String maxRuntime,
    @Nullable String every,
    String idleFor,
    int atOnce,
    RepairStep step,
    String actor,
    Instant changedAt,
    int nodes,
    int tested,
    int underWay,
    String message) {
  static HealthTestResponse of(HealthTests.View view) {
    HealthTest test = view.test();
    RoleSpec role = test.job().roles().getFirst();
    List<String> command = new ArrayList<>(role.command().command());
    command.addAll(role.command().args());
    String queue = test.job().queue();
    return new HealthTestResponse(
        test.name(),
        test.project(),
        queue.isEmpty() ? null : queue,
        role.image(),
        command,
        text(test.job().maxRuntime()),
        test.every() == null ? null : text(test.every()),
        text(test.idleFor()),
        test.atOnce(),
        test.step(),
        test.actor(),
        test.changedAt(),
        view.nodes(),
        view.tested(),
        view.underWay(),
        view.message());
  }

  private static String text(@Nullable Duration duration) {
    return DurationText.of(duration == null ? Duration.ZERO : duration);
  }
}

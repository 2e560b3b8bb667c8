package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Repair;
import dev.fairlead.care.health.RepairStep;
import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** How long steps of repairs take. */
final class RepairSteps {
  private RepairSteps() {}

  /**
   * Counts for how long the node of a repair that begins now was in use since its last one.
   *
   * @param past repairs of the node that ended, the newest first
   */
  static void between(MeterRegistry metrics, List<Repair> past, Instant now) {
    past.stream()
        .findFirst()
        .ifPresent(last -> {
          Instant ended = last.endedAt();
          RepairStep step = last.done();
          if (ended != null && step != null) {
            metrics
                .timer(Metric.REPAIR_BETWEEN.meter(), Metric.REPAIR_BETWEEN.tags(step.name()))
                .record(Duration.between(ended, now));
          }
        });
  }

  /**
   * Counts the step of that repair, which is done now.
   *
   * @param before the repair while the step was asked for
   */
  static void measured(MeterRegistry metrics, Repair before, Instant now) {
    Instant asked = before.askedAt();
    if (asked != null) {
      metrics
          .timer(Metric.REPAIR_STEP.meter(), Metric.REPAIR_STEP.tags(before.step().name()))
          .record(Duration.between(asked, now));
    }
  }
}

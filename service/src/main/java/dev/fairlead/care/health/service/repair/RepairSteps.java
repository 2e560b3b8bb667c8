package dev.fairlead.care.health.service.repair;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Metrics of the duration of repair steps. */
final class RepairSteps {
  private RepairSteps() {}

  /**
   * Records the time in use between the last repair of the node and a repair that starts now.
   *
   * @param past ended repairs of the node, newest first
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
   * Records the duration of a repair step that is finished now.
   *
   * @param before the repair while the step was requested
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

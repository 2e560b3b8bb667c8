package dev.fairlead.health.service;

import dev.fairlead.health.Repair;
import dev.fairlead.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;

/** How long steps of repairs take. */
final class RepairSteps {
  private RepairSteps() {}

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

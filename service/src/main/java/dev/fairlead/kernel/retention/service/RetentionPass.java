package dev.fairlead.kernel.retention.service;

import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.retention.RetentionStore.Kind;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Runs one bounded statement of each kind in a pass. A kind that fails is tried with half as many
 * rows in its next pass, down to one, and with twice as many after each success, because the
 * capacity of a statement before its time-out depends on the rows and on the machine.
 */
@Component
public class RetentionPass {
  private static final int MOST = 10_000;
  private final RetentionStore rows;
  private final MeterRegistry metrics;
  private final Map<Kind, Integer> limits = new EnumMap<>(Kind.class);

  public RetentionPass(RetentionStore rows, MeterRegistry metrics) {
    this.rows = rows;
    this.metrics = metrics;
  }

  /** Returns whether more rows can be cleared immediately. */
  boolean turn(IndependentSteps steps) {
    boolean more = false;
    for (Kind kind : Kind.values()) {
      more |= cleared(kind, steps);
    }
    return more;
  }

  private boolean cleared(Kind kind, IndependentSteps steps) {
    int limit = limits.getOrDefault(kind, MOST);
    boolean[] more = new boolean[1];
    if (steps.run(() -> more[0] = rows.clear(kind, Ages.DEFAULT, limit) > 0)) {
      limits.put(kind, Math.min(MOST, limit * 2));
    } else {
      Metric failures = Metric.RETENTION_FAILURES;
      metrics.counter(failures.meter(), failures.tags(kind.name())).increment();
      limits.put(kind, Math.max(1, limit / 2));
    }
    return more[0];
  }
}

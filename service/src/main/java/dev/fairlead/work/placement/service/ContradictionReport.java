package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.placement.Contradiction;
import dev.fairlead.work.placement.Plan;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each contradiction once that the engine planned around, and publishes their number by kind
 * ({@code fairlead.snapshot.contradictions}).
 */
final class ContradictionReport {
  private static final Logger LOG = LoggerFactory.getLogger(ContradictionReport.class);
  private final Map<Contradiction.Kind, AtomicInteger> counts = new TreeMap<>();
  private SortedSet<String> said = new TreeSet<>();

  ContradictionReport(MeterRegistry metrics) {
    for (Contradiction.Kind kind : Contradiction.Kind.values()) {
      counts.put(
          kind,
          metrics.gauge(
              Metric.SNAPSHOT_CONTRADICTIONS.meter(),
              Tags.of(Metric.SNAPSHOT_CONTRADICTIONS.tags(kind.name())),
              new AtomicInteger()));
    }
  }

  /** Must be called after each plan. */
  void report(Plan plan) {
    SortedSet<String> now = new TreeSet<>();
    counts.values().forEach(count -> count.set(0));
    for (Contradiction each : plan.contradictions()) {
      counts.getOrDefault(each.kind(), new AtomicInteger()).incrementAndGet();
      String text = each.kind() + " " + each.subject() + ": " + each.text();
      now.add(text);
      if (!said.contains(text)) {
        LOG.warn("ignored a row that contradicts others: {}", text);
      }
    }
    said = now;
  }
}

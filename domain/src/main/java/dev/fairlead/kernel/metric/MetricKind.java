package dev.fairlead.kernel.metric;

/** Type and unit of a metric. */
public enum MetricKind {
  /** Rises from the start of the process. */
  COUNTER("counter", "_total"),
  /** A number that rises and falls. */
  GAUGE("gauge", ""),
  /** A gauge in seconds. */
  SECONDS("gauge", "_seconds"),
  /** Number, sum and maximum of durations in seconds. */
  TIMER("summary", "_seconds");

  final String wire;
  final String suffix;

  MetricKind(String wire, String suffix) {
    this.wire = wire;
    this.suffix = suffix;
  }
}

package dev.fairlead.money.efficiency;

import dev.fairlead.fleet.cluster.connection.Prometheus;

/** Reads the use of GPUs by pods of Fairlead from a Prometheus. */
public interface MetricsReader {
  /** Asks it once, within a bounded time. Never throws. */
  MetricsReading read(Prometheus prometheus);
}

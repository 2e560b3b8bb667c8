package dev.fairlead.care.health.dcgm;

import dev.fairlead.fleet.cluster.connection.Prometheus;

/** Reads the series of {@link SeriesTable} for all GPUs of a Prometheus. */
public interface SeriesReader {
  /** Queries it once, within a bounded time. Never throws. */
  SeriesReading read(Prometheus prometheus);
}

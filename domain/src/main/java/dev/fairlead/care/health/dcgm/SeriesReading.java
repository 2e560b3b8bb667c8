package dev.fairlead.care.health.dcgm;

import java.util.List;

/** Result of reading the series of a Prometheus once. */
public sealed interface SeriesReading {
  /**
   * It answered.
   *
   * @param samples samples of the series that every GPU has, and values above 0 of all other series
   */
  record Read(List<GpuSample> samples) implements SeriesReading {
    public Read {
      samples = List.copyOf(samples);
    }
  }

  /**
   * Prometheus gave no usable response.
   *
   * @param why human-readable text. Short and printable
   */
  record Unread(String why) implements SeriesReading {}
}

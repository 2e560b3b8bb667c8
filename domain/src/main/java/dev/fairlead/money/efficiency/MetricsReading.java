package dev.fairlead.money.efficiency;

import java.util.List;

/** Result of reading a Prometheus once. */
public sealed interface MetricsReading {
  /**
   * It answered.
   *
   * @param pods each once
   * @param bad skipped series: not a number, or an impossible value for a GPU
   */
  record Read(List<PodUse> pods, int bad) implements MetricsReading {
    public Read {
      pods = List.copyOf(pods);
    }
  }

  /**
   * The metrics server gave no usable response.
   *
   * @param why human-readable text. Short and printable
   */
  record Unread(String why) implements MetricsReading {}
}

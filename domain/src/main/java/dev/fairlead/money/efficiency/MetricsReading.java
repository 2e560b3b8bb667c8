package dev.fairlead.money.efficiency;

import java.util.List;

/** Result of reading a Prometheus once. */
public sealed interface MetricsReading {
  /**
   * It answered.
   *
   * @param pods each once
   * @param bad series that were left out: no number, or none that a GPU can have
   */
  record Read(List<PodUse> pods, int bad) implements MetricsReading {
    public Read {
      pods = List.copyOf(pods);
    }
  }

  /**
   * It gave no answer that can be used.
   *
   * @param why for people. Short and printable
   */
  record Unread(String why) implements MetricsReading {}
}

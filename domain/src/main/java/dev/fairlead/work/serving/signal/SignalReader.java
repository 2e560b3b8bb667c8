package dev.fairlead.work.serving.signal;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import java.util.SortedMap;
import java.util.SortedSet;

/** Reads the metrics of pods of Fairlead from a Prometheus. */
public interface SignalReader {
  /** Asks it once for each signal, within a bounded time. Never throws. */
  Answer read(Prometheus prometheus, SortedSet<Signal> signals);

  /**
   * Values by signal and name of the pod.
   *
   * @param problem why it gave no response that can be used, empty if it did
   */
  record Answer(SortedMap<Signal, SortedMap<String, Double>> values, String problem) {}
}

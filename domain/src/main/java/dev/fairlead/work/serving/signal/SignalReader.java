package dev.fairlead.work.serving.signal;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import java.util.SequencedSet;
import java.util.SortedMap;

/** Reads the metrics of pods of Fairlead from a Prometheus. */
public interface SignalReader {
  /**
   * Queries it once for each signal in this order, within a bounded time. A signal without a
   * response has no values, and does not affect others. Never throws.
   */
  Answer read(Prometheus prometheus, SequencedSet<Signal> signals);

  /**
   * Values by signal and name of the pod.
   *
   * @param problem why a signal has no response that can be used, empty if each has
   */
  record Answer(SortedMap<Signal, SortedMap<String, Double>> values, String problem) {}
}

package dev.fairlead.work.serving.key;

import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.TrafficCount;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Counts of a gate since its last batch.
 *
 * @param gate the process
 * @param number number of the batch, from 1. A batch that may have been stored is repeated with its
 *     number
 * @param hours in the order of their keys
 * @param minutes in the order of their keys
 * @param used time of the last request of each key
 * @param traffic requests that were forwarded to each version
 */
public record GateBatch(
    UUID gate,
    long number,
    List<KeyHour> hours,
    List<KeyMinute> minutes,
    SortedMap<ServiceKey.Name, Instant> used,
    List<VersionTraffic> traffic) {
  /** Requests that were forwarded to a version. */
  public record VersionTraffic(ModelServiceId service, int version, TrafficCount count) {}

  public GateBatch {
    hours = List.copyOf(hours);
    minutes = List.copyOf(minutes);
    used = Collections.unmodifiableSortedMap(new TreeMap<>(used));
    traffic = List.copyOf(traffic);
  }
}

package dev.fairlead.money.usage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The sums of one hour, in thousandths of a GPU times milliseconds.
 *
 * @param hourMillis start of the hour, milliseconds since 1970
 * @param used by owner
 * @param fleet time of all GPUs by part of the fleet and bucket
 * @param labelled use with labels that its tenant named, by owner without the cluster
 */
public record HourSums(
    long hourMillis,
    SortedMap<UsageOwner, Long> used,
    SortedMap<FleetPart, Map<UsageBucket, Long>> fleet,
    SortedMap<UsageOwner, Long> labelled) {
  public HourSums {
    used = Collections.unmodifiableSortedMap(new TreeMap<>(used));
    fleet = Collections.unmodifiableSortedMap(new TreeMap<>(fleet));
    labelled = Collections.unmodifiableSortedMap(new TreeMap<>(labelled));
  }

  /** Differences between these stored sums and the correct ones, in every detail. */
  public List<HourDifference> differences(HourSums right) {
    SequencedMap<SortedMap<String, String>, Long> stored = named();
    SequencedMap<SortedMap<String, String>, Long> due = right.named();
    SequencedMap<SortedMap<String, String>, Long> all = new LinkedHashMap<>(stored);
    due.forEach(all::putIfAbsent);
    List<HourDifference> found = new ArrayList<>();
    for (SortedMap<String, String> key : all.keySet()) {
      long is = stored.getOrDefault(key, 0L);
      long should = due.getOrDefault(key, 0L);
      if (is != should) {
        found.add(new HourDifference(hourMillis, key, is, should));
      }
    }
    return found;
  }

  private SequencedMap<SortedMap<String, String>, Long> named() {
    SequencedMap<SortedMap<String, String>, Long> sums = new LinkedHashMap<>();
    used.forEach((owner, amount) -> sums.put(owner.key(), amount));
    labelled.forEach((owner, amount) -> sums.put(owner.key(), amount));
    fleet.forEach((part, buckets) ->
        new TreeMap<>(buckets)
            .forEach((bucket, amount) -> {
              SortedMap<String, String> key = part.key();
              key.put("bucket", bucket.name());
              sums.put(key, amount);
            }));
    return sums;
  }
}

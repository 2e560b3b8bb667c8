package dev.fairlead.money.usage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
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

  /**
   * The sums in the detail of the stored hour. Hours of before clusters of uses, and capacity types
   * and owners of GPUs, were noted are compared and rewritten without them.
   */
  public HourSums asDetailedAs(HourSums stored) {
    SortedMap<UsageOwner, Long> uses = stored.usesUnplaced() ? usesWithoutClusters() : used;
    SortedMap<FleetPart, Map<UsageBucket, Long>> parts = fleet;
    if (stored.fleetUnplaced()) {
      parts = new TreeMap<>();
      for (Map.Entry<FleetPart, Map<UsageBucket, Long>> part : fleet.entrySet()) {
        Map<UsageBucket, Long> sums =
            parts.computeIfAbsent(part.getKey().unplaced(), p -> new EnumMap<>(UsageBucket.class));
        part.getValue().forEach((bucket, amount) -> sums.merge(bucket, amount, Long::sum));
      }
    }
    return new HourSums(hourMillis, uses, parts, labelled);
  }

  /** The sums without clusters, as usage was stored before. */
  public HourSums withoutClusters() {
    return new HourSums(hourMillis, usesWithoutClusters(), fleet, labelled);
  }

  private SortedMap<UsageOwner, Long> usesWithoutClusters() {
    SortedMap<UsageOwner, Long> uses = new TreeMap<>();
    used.forEach((owner, amount) -> uses.merge(owner.unplaced(), amount, Long::sum));
    return uses;
  }

  /** Whether clusters of all uses and capacity types of all GPUs are known. */
  public boolean placed() {
    return used.keySet().stream().noneMatch(owner -> owner.cluster() == null)
        && fleet.keySet().stream().noneMatch(part -> part.capacity() == null);
  }

  private boolean usesUnplaced() {
    return !used.isEmpty() && used.keySet().stream().allMatch(owner -> owner.cluster() == null);
  }

  private boolean fleetUnplaced() {
    return !fleet.isEmpty() && fleet.keySet().stream().allMatch(part -> part.capacity() == null);
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

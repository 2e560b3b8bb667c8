package dev.fairlead.money.usage;

import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The sums of one hour, in thousandths of a GPU times milliseconds.
 *
 * @param hourMillis start of the hour, milliseconds since 1970
 * @param used use by owner
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

  /** The facts of the hour, with those that reports of spill derive from them. */
  public UseFacts facts() {
    SortedMap<UseKey, Long> facts = new TreeMap<>();
    used.forEach((owner, amount) -> facts.put(owner.key(UseKind.USE), amount));
    labelled.forEach((owner, amount) -> facts.put(owner.key(UseKind.LABELLED), amount));
    fleet.forEach((part, buckets) ->
        buckets.forEach((bucket, amount) -> facts.put(part.key(bucket), amount)));
    Spill.of(this).forEach((key, amount) -> facts.put(key.fact(), amount));
    Spill.reserved(this).forEach((key, amount) -> facts.put(key.fact(), amount));
    return new UseFacts(hourMillis, facts);
  }
}

package dev.fairlead.money.usage;

import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Time of all GPUs in an hour, or in its elapsed part, in milli-GPU-milliseconds. */
public final class HourBook {
  public static final long HOUR_MILLIS = 3_600_000;

  /**
   * Delay between the end of an hour and its closing. All starts of the hour are written within
   * this delay.
   */
  public static final long SETTLING_MILLIS = 600_000;

  private final long hourMillis;
  private final long toMillis;
  private final SortedMap<UsageOwner, Long> used = new TreeMap<>();
  private final SortedMap<FleetPart, Map<UsageBucket, Long>> fleet = new TreeMap<>();
  private final SortedMap<UsageOwner, Long> labelled = new TreeMap<>();
  private long overbooked;

  /**
   * An empty one.
   *
   * @param hourMillis start of the hour, milliseconds since 1970
   * @param nowMillis end of the counted time
   */
  public HourBook(long hourMillis, long nowMillis) {
    this.hourMillis = hourMillis;
    this.toMillis = Math.clamp(nowMillis, hourMillis, hourMillis + HOUR_MILLIS);
  }

  public void add(GpuHistory gpu) {
    GpuTime time = GpuTime.of(gpu, hourMillis, toMillis);
    Map<UsageBucket, Long> part =
        fleet.computeIfAbsent(gpu.part(), p -> new EnumMap<>(UsageBucket.class));
    time.buckets().forEach((bucket, amount) -> part.merge(bucket, amount * gpu.gpus(), Long::sum));
    time.used()
        .forEach((owner, ofOne) -> {
          long amount = ofOne * gpu.gpus();
          used.merge(owner.unlabelled(), amount, Long::sum);
          if (!owner.labels().isEmpty()) {
            labelled.merge(owner.with(owner.labels()), amount, Long::sum);
          }
        });
    overbooked += time.overbooked() * gpu.gpus();
  }

  public long hourMillis() {
    return hourMillis;
  }

  /** The first moment that is not counted. */
  public long toMillis() {
    return toMillis;
  }

  /** The sums so far. */
  public HourSums sums() {
    return new HourSums(hourMillis, used, fleet, UsageLabels.bounded(labelled));
  }

  /** Allocations beyond whole GPUs, which are not 0 only when the intervals are wrong. */
  public long overbooked() {
    return overbooked;
  }
}

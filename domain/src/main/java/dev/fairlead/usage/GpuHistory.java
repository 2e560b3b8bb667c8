package dev.fairlead.usage;

import java.util.List;

/**
 * What was known of one GPU. Times are milliseconds since 1970, each end the first moment after it.
 *
 * @param part where it counts
 * @param states spans in which it was seen; they do not overlap
 * @param uses spans in which a member held a part of it
 */
public record GpuHistory(FleetPart part, List<Seen> states, List<Use> uses) {
  /**
   * Seen in a state.
   *
   * @param bucket SICK, MAINTENANCE, or FREE for one that could be used
   * @param keptMilli thousandths that were kept for waiting jobs or held by pods of others
   */
  public record Seen(long fromMillis, long toMillis, UsageBucket bucket, int keptMilli) {}

  /**
   * Held by one member.
   *
   * @param milli thousandths of it, 1..1000
   * @param slices MIG slices that these are, 0 for none
   */
  public record Use(long fromMillis, long toMillis, UsageOwner owner, int milli, int slices) {}

  public GpuHistory {
    states = List.copyOf(states);
    uses = List.copyOf(uses);
  }
}

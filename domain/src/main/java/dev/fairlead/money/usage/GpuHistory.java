package dev.fairlead.money.usage;

import java.util.List;

/**
 * What was known of one GPU, or of the slices of one node whose GPUs are not told. Times are
 * milliseconds since 1970, each end the first moment after it.
 *
 * @param gpu index on its node, {@link #SLICES} for the slices
 * @param part where it counts
 * @param states spans in which it was seen; they do not overlap
 * @param uses spans in which a member held a part of it
 */
public record GpuHistory(int gpu, FleetPart part, List<Seen> states, List<Use> uses) {
  /** Stands for the slices that a node offers as an amount: on which GPUs they lie is not told. */
  public static final int SLICES = -1;

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
   * @param milli thousandths of it, 1..1000; of slices of a node 1 or more
   * @param slices MIG slices that these are, 0 for none
   */
  public record Use(long fromMillis, long toMillis, UsageOwner owner, int milli, int slices) {}

  public GpuHistory {
    states = List.copyOf(states);
    uses = List.copyOf(uses);
  }
}

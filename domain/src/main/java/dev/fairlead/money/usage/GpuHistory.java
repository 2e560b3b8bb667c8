package dev.fairlead.money.usage;

import java.util.List;

/**
 * History of one GPU, or of the slices of one node with unknown GPUs. Times are milliseconds since
 * 1970, each end the first moment after it.
 *
 * @param gpu index on its node, {@link #SLICES} for the slices
 * @param gpus number of GPUs with this history
 * @param part where it counts
 * @param states spans of its reported states. They do not overlap
 * @param uses spans during which a member held a part of it
 */
public record GpuHistory(int gpu, int gpus, FleetPart part, List<Seen> states, List<Use> uses) {
  /** Index of the slices that a node offers as an amount, without known GPUs. */
  public static final int SLICES = -1;

  /**
   * Seen in a state.
   *
   * @param bucket SICK, MAINTENANCE, or FREE for a usable one
   * @param keptMilli thousandths reserved for waiting jobs or held by foreign pods
   */
  public record Seen(long fromMillis, long toMillis, UsageBucket bucket, int keptMilli) {}

  /**
   * Held by one member.
   *
   * @param milli thousandths of it, 1..1000. At least 1 for slices of a node
   * @param slices MIG slices that these are, 0 for none
   */
  public record Use(long fromMillis, long toMillis, UsageOwner owner, int milli, int slices) {}

  public GpuHistory {
    states = List.copyOf(states);
    uses = List.copyOf(uses);
  }

  /** The history of a single GPU. */
  public GpuHistory(int gpu, FleetPart part, List<Seen> states, List<Use> uses) {
    this(gpu, 1, part, states, uses);
  }
}

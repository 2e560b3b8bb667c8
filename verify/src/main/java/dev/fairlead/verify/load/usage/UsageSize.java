package dev.fairlead.verify.load.usage;

import dev.fairlead.verify.Arguments;
import java.time.Duration;

/**
 * Size of the stored data and of the measurement.
 *
 * @param gpus number of GPUs with a stored year
 * @param intervals intervals of use in that year, approximately: one in ten turns of a node is idle
 * @param reads reads of each report
 * @param days whose hours are compared with their intervals
 * @param hours that the loop adds up again
 * @param rounds rounds of the live path, each once without and once with the loops
 * @param phase shortest duration of each
 */
record UsageSize(
    int gpus, int intervals, int reads, int days, int hours, int rounds, Duration phase) {
  static final int GPUS_OF_NODE = 8;

  /** Nodes that one user has at a time, so an hour has one key for 80 GPUs. */
  static final int NODES_OF_BLOCK = 10;

  private static final int GPUS = 100_000;
  private static final int INTERVALS = 10_000_000;

  /** Returns the size by GPUS, 800 to 200,000, and INTERVALS, 100 to 2,000 for each node. */
  static UsageSize of(Arguments arguments) {
    boolean quick = arguments.has("quick");
    int fleet = arguments.number("gpus", GPUS / (quick ? 10 : 1), 800, 200_000);
    int nodes = fleet / GPUS_OF_NODE;
    int usual = Math.toIntExact((long) INTERVALS / GPUS * fleet);
    int stored = arguments.number("intervals", usual, 100 * nodes, 2_000 * nodes);
    return quick
        ? new UsageSize(fleet, stored, 20, 1, 6, 2, Duration.ofSeconds(30))
        : new UsageSize(fleet, stored, 100, 3, 24, 5, Duration.ofMinutes(1));
  }

  /** Groups of nodes that change their user together. */
  int blocks() {
    return gpus / GPUS_OF_NODE / NODES_OF_BLOCK;
  }

  /** Turns of each block in the year. */
  int turns() {
    return intervals / (gpus / GPUS_OF_NODE);
  }
}

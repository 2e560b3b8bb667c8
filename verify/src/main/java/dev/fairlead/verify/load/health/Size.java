package dev.fairlead.verify.load.health;

import dev.fairlead.verify.Arguments;
import java.time.Duration;

/**
 * Size of the measurement, and of the existing data.
 *
 * @param gpus known devices
 * @param events stored events
 * @param gangs that lose a node
 * @param faults reported faults of nodes without a job
 * @param stream duration of the reports of monitors, for each kind of event
 * @param reads reads of each kind
 */
record Size(int gpus, int events, int gangs, int faults, Duration stream, int reads) {
  private static final int GPUS = 100_000;
  private static final int EVENTS = 10_000_000;
  private static final int QUICK_GPUS = 10_000;
  private static final int QUICK_EVENTS = 200_000;
  private static final int MOST_NODES = 1_000;
  private static final int GPUS_PER_NODE = 8;

  /** Returns the size by GPUS, 800 to 1,000,000, and EVENTS, 1,000 to 100,000,000. */
  static Size of(Arguments arguments) {
    boolean quick = arguments.has("quick");
    int devices = arguments.number("gpus", quick ? QUICK_GPUS : GPUS, 800, 1_000_000);
    int stored = arguments.number("events", quick ? QUICK_EVENTS : EVENTS, 1_000, 100_000_000);
    return quick
        ? new Size(devices, stored, 3, 20, Duration.ofSeconds(10), 200)
        : new Size(devices, stored, 20, 100, Duration.ofMinutes(1), 1_000);
  }

  /** Nodes of the cluster with monitors. The other devices were in removed nodes. */
  int nodes() {
    return Math.min(MOST_NODES, gpus / GPUS_PER_NODE);
  }
}

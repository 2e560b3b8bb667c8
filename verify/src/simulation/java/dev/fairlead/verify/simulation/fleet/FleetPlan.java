package dev.fairlead.verify.simulation.fleet;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * The faults that a fleet has to survive.
 *
 * @param gpus GPUs of the fleet, eight a node
 * @param breaksLike GPUs of the fleet that breaks as often as this one
 * @param lasts how long
 * @param checkpoint time between two checkpoints of the gang
 * @param spares nodes that the gang does not use, reserved by the pool if {@code keepsSpares}
 * @param keepsSpares whether the pool keeps spares for gangs, or other jobs get them
 * @param keepsPlaces whether the remaining capacity of a gang is reserved after a fault
 * @param retries attempts that may use a retry, including program errors; 0 for the default of a
 *     job
 * @param storm per cent of the nodes with a fatal error in the middle of the time
 * @param replaces members of an attempt that may be replaced, 0 to 100. 0 for a gang that a fault
 *     ends as a whole
 * @param resume from the start of the last member to the next step of a gang with processes that
 *     meet again inside their pods
 * @param warm whether the pod of a later member starts immediately or takes the usual time
 */
@RecordBuilder
public record FleetPlan(
    int gpus,
    int breaksLike,
    Duration lasts,
    Duration checkpoint,
    int spares,
    boolean keepsSpares,
    boolean keepsPlaces,
    int retries,
    int storm,
    long seed,
    int replaces,
    Duration resume,
    boolean warm)
    implements FleetPlanBuilder.With {
  static final int GPUS_PER_NODE = 8;
  private static final int MOST_RETRIES = 20;

  /** The published run, with everything that Fairlead does for a job by default. */
  static FleetPlan of(int gpus, Duration lasts, Duration checkpoint, int spares, long seed) {
    return new FleetPlan(
        gpus,
        gpus,
        lasts,
        checkpoint,
        spares,
        true,
        true,
        MOST_RETRIES,
        0,
        seed,
        0,
        Duration.ZERO,
        false);
  }

  int nodes() {
    return gpus / GPUS_PER_NODE;
  }

  int gang() {
    return nodes() - spares;
  }
}

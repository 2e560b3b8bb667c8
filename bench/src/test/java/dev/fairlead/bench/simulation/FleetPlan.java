package dev.fairlead.bench.simulation;

import java.time.Duration;

/**
 * What a fleet is to live through.
 *
 * @param gpus of the fleet, eight a node
 * @param breaksLike GPUs of the fleet that breaks as often as this one
 * @param lasts how long
 * @param checkpoint time between two checkpoints of the gang
 * @param spares nodes that the gang does not take; where {@code keepsSpares}, the pool keeps them
 * @param keepsSpares whether the pool keeps spares for gangs, or other jobs get them
 * @param keepsPlaces whether what a fault leaves of a gang's place is kept
 * @param retries attempts that may spend budget, which errors of its program spend too; 0 for what
 *     a job has that says nothing
 * @param storm per cent of the nodes whose monitors report a fatal error in the middle of the time
 */
record FleetPlan(
    int gpus,
    int breaksLike,
    Duration lasts,
    Duration checkpoint,
    int spares,
    boolean keepsSpares,
    boolean keepsPlaces,
    int retries,
    int storm,
    long seed) {
  static final int GPUS_PER_NODE = 8;
  private static final int MOST_RETRIES = 20;

  /** The published run, with all that Fairlead does. */
  static FleetPlan of(int gpus, Duration lasts, Duration checkpoint, int spares, long seed) {
    return new FleetPlan(gpus, gpus, lasts, checkpoint, spares, true, true, MOST_RETRIES, 0, seed);
  }

  int nodes() {
    return gpus / GPUS_PER_NODE;
  }

  /** Nodes of the gang. */
  int gang() {
    return nodes() - spares;
  }

  /** The same on machines that break as often as a larger fleet. */
  FleetPlan breakingLike(int others) {
    return new FleetPlan(
        gpus, others, lasts, checkpoint, spares, keepsSpares, keepsPlaces, retries, storm, seed);
  }

  FleetPlan withoutSpares() {
    return new FleetPlan(
        gpus, breaksLike, lasts, checkpoint, spares, false, keepsPlaces, retries, storm, seed);
  }

  FleetPlan withoutKeptPlaces() {
    return new FleetPlan(
        gpus, breaksLike, lasts, checkpoint, spares, keepsSpares, false, retries, storm, seed);
  }

  FleetPlan withDefaultRetries() {
    return new FleetPlan(
        gpus, breaksLike, lasts, checkpoint, spares, keepsSpares, keepsPlaces, 0, storm, seed);
  }

  FleetPlan withStorm(int percent) {
    return new FleetPlan(
        gpus,
        breaksLike,
        lasts,
        checkpoint,
        spares,
        keepsSpares,
        keepsPlaces,
        retries,
        percent,
        seed);
  }
}

package dev.fairlead.work.placement;

import dev.fairlead.work.placement.decision.Decision;

/**
 * Decides which jobs start on which nodes. Equal snapshots produce equal plans, regardless of the
 * order of their lists. Rows that contradict each other are ignored and never stop the plan for
 * other rows.
 */
public final class SchedulingEngine {
  /**
   * Plans one cycle. An array job that starts in part has its {@link Decision.Place}s and one
   * {@link Decision.Hold} for the remaining elements. Every other pending job has either.
   */
  public Plan plan(Snapshot snapshot) {
    return plan(snapshot, new CycleCache());
  }

  /**
   * Returns the same plan, faster.
   *
   * @param cache cache of the previous plan, updated for the next one
   */
  public Plan plan(Snapshot snapshot, CycleCache cache) {
    return new Cycle(snapshot, cache).run();
  }
}

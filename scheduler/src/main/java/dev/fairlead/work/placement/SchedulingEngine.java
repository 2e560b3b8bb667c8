package dev.fairlead.work.placement;

/**
 * Decides what starts where. The same snapshot gives the same plan, whatever the order of its
 * lists; rows that contradict each other are planned around and never stop the plan for the others.
 */
public final class SchedulingEngine {
  /**
   * One cycle. A job that starts in part (elements of an array) has its {@link Decision.Place}s and
   * one {@link Decision.Hold} for the rest; every other pending job has either.
   */
  public Plan plan(Snapshot snapshot) {
    return plan(snapshot, new CycleCache());
  }

  /**
   * The same plan, sooner.
   *
   * @param cache of the plan before; is that of this one afterwards
   */
  public Plan plan(Snapshot snapshot, CycleCache cache) {
    return new Cycle(snapshot, cache).run();
  }
}

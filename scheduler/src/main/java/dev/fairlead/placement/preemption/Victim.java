package dev.fairlead.placement.preemption;

/** A job to evict. */
public record Victim(RunningJob job, Reason reason) {
  /** By which right. */
  public enum Reason {
    /** Own queue, by its priorities. */
    SAME_QUEUE,
    /** Its queue borrows what the preemptor's subtree owns. */
    RECLAIM,
    /** Its queue has the larger share. */
    FAIR_SHARE,
    /** Its priority is low enough that even a borrower may take its place. */
    RECLAIM_WHILE_BORROWING,
    /** Its place lets another job start, and it has another. */
    CONSOLIDATION
  }
}

package dev.fairlead.work.attempt;

/** Right by which a running job is preempted for another. */
public enum EvictionRight {
  /** The other job has precedence in their queue. */
  WITHIN_QUEUE("preempted by a job that precedes it in its queue"),
  /** Its queue borrows quota owned by the queue of the other job. */
  RECLAIM("preempted: another queue reclaimed quota that its queue had borrowed"),
  /** Its queue has more than its share. */
  FAIR_SHARE("preempted: its queue used more than its share"),
  /** Its priority is so low that a job of a borrowing queue may evict it. */
  WHILE_BORROWING("preempted by a job of higher priority in another queue"),
  /** The victim can run on other nodes, so that the other job fits on its nodes. */
  MOVED(
      "moved to another node, where capacity is reserved for it, so that a waiting job fits here"),
  /** Reserved capacity became free and costs less than its current capacity. */
  MOVED_BACK("moved back to reserved capacity, where its nodes are reserved"),
  /**
   * It started in a window of a quota limit that has closed, and the use exceeds the remaining
   * limit.
   */
  QUOTA_WINDOW("stopped: the window with additional quota for its queue has closed");

  private final String text;

  EvictionRight(String text) {
    this.text = text;
  }

  /** Message for its owner. */
  public String text() {
    return text;
  }
}

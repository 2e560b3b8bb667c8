package dev.fairlead.work.attempt;

/** Right by which a running job is preempted for another. */
public enum EvictionRight {
  /** The other job has precedence in their queue. */
  WITHIN_QUEUE("preempted by a job that goes before it in its queue"),
  /** Its queue borrows quota owned by the queue of the other job. */
  RECLAIM("preempted: its queue had borrowed what another queue takes back"),
  /** Its queue has more than its share. */
  FAIR_SHARE("preempted: its queue had more than its share"),
  /** Its priority is so low that a job of a queue that borrows takes its place. */
  WHILE_BORROWING("preempted by a job of higher priority in another queue"),
  /** It has another place, and the other job fits in here then. */
  MOVED(
      "moved to another node, where capacity is reserved for it, so that a waiting job fits here"),
  /** Reserved capacity became free, and costs less than its present capacity. */
  MOVED_BACK("moved back to reserved capacity, where its nodes are reserved"),
  /** It started in a window of a quota limit that has closed, and more is used than is left. */
  QUOTA_WINDOW("stopped: the window with more quota for its queue has closed");

  private final String text;

  EvictionRight(String text) {
    this.text = text;
  }

  /** Text for its owner. */
  public String text() {
    return text;
  }
}

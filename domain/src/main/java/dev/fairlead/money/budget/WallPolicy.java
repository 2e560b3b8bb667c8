package dev.fairlead.money.budget;

/** What becomes of a job that runs on hours which its HARD budget does not have. */
public enum WallPolicy {
  /** It goes on until it ends. */
  FINISH,
  /** It is stopped and waits in its queue until the budget has room for it again. */
  PREEMPT,
  /** It is stopped and waits until it is resumed. */
  SUSPEND
}

package dev.fairlead.money.budget;

/** Policy for running jobs when their HARD budget is exhausted. */
public enum BudgetExhaustedPolicy {
  /** The job continues until it ends. */
  FINISH,
  /** The job is stopped and waits in its queue until the budget suffices. */
  PREEMPT,
  /** The job is stopped and waits until it is resumed. */
  SUSPEND
}

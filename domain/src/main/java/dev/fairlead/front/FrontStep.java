package dev.fairlead.front;

/** Next step for a Job of a front cluster. */
public sealed interface FrontStep {
  /** Nothing. */
  record Nothing() implements FrontStep {}

  /**
   * The object is no longer listed. When its cluster confirms that it was deleted, its job is
   * cancelled.
   */
  record Ask() implements FrontStep {}

  /** The object has ended, or was deleted: cancel running attempts and remove the finalizer. */
  record LetGo() implements FrontStep {}

  /** Submits the object for the project. */
  record TakeUp(FrontNamespace namespace) implements FrontStep {}

  /** The object was about to be submitted, but its namespace is no longer mapped to the project. */
  record Withdraw() implements FrontStep {}

  /** Suspends or resumes its job. */
  record Hold(boolean back) implements FrontStep {}

  /** A completion has permanently failed: cancel the others. */
  record EndEarly() implements FrontStep {}

  record Show(FrontStatus status) implements FrontStep {}
}

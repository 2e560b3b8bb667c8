package dev.fairlead.front;

/** What is due for a Job of a front cluster. */
public sealed interface FrontStep {
  /** Nothing. */
  record Nothing() implements FrontStep {}

  /** It is not shown any more: when its cluster says that it is gone, its job is cancelled. */
  record Ask() implements FrontStep {}

  /** It is over, or deleted: what still runs is cancelled, and it is kept no more. */
  record LetGo() implements FrontStep {}

  /** It is submitted for the project. */
  record TakeUp(FrontNamespace namespace) implements FrontStep {}

  /** It was to be submitted for a project that its namespace is not mapped to any more. */
  record Withdraw() implements FrontStep {}

  /** Its job is held back, or goes on. */
  record Hold(boolean back) implements FrontStep {}

  /** One of its completions has failed for good: the others are cancelled. */
  record EndEarly() implements FrontStep {}

  /** It shows that status. */
  record Show(FrontStatus status) implements FrontStep {}
}

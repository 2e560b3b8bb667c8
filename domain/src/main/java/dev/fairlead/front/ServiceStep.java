package dev.fairlead.front;

/** Next step for a ModelService of a front cluster. */
public sealed interface ServiceStep {
  /** Nothing. */
  record Nothing() implements ServiceStep {}

  /** Its spec is applied to the project of its namespace. */
  record Apply(FrontNamespace namespace) implements ServiceStep {}

  /** The spec is applied, but the finalizer was removed and is added again. */
  record Hold() implements ServiceStep {}

  /** The ModelService was deleted, so its service ends. */
  record Remove() implements ServiceStep {}

  /** The ModelService has no service, so the finalizer is removed. */
  record Release() implements ServiceStep {}

  record Show(FrontStatus status) implements ServiceStep {}
}

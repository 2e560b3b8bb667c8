package dev.fairlead.body;

/** A request some of whose fields depend on others. */
public interface DependentFields {
  /**
   * Reports combinations that are not allowed. A component that could not be bound is null here,
   * even where it is required, so a check asks the fields whether the request has them.
   */
  void check(Fields given);
}

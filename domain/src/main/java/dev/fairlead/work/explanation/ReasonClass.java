package dev.fairlead.work.explanation;

/** Party that can resolve the reason. */
public enum ReasonClass {
  WAIT,
  USER_ACTION,
  ADMIN_ACTION
}

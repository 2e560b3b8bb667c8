package dev.fairlead.work.explanation;

/** Party that can act on it. */
public enum ReasonClass {
  WAIT,
  USER_ACTION,
  ADMIN_ACTION
}

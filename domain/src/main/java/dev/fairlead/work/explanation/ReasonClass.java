package dev.fairlead.work.explanation;

/** Who can do something about it. */
public enum ReasonClass {
  WAIT,
  USER_ACTION,
  ADMIN_ACTION
}

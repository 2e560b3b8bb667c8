package dev.fairlead.people.tenant;

import java.util.Locale;

/** A cell of the permission matrix, from least to most. */
public enum Grant {
  /** Refused. */
  NO,
  /** Allowed for objects that the caller created. */
  OWN,
  /** Allowed for everything in the role's scope. */
  YES;

  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}

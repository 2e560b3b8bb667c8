package dev.fairlead.people.tenant;

import java.util.Locale;

/** A cell of the matrix of permissions, from least to most. */
public enum Grant {
  /** Refused. */
  NO,
  /** Allowed on what the caller made. */
  OWN,
  /** Allowed on everything in the role's scope. */
  YES;

  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package dev.fairlead.people.tenant;

import org.jspecify.annotations.Nullable;

/**
 * Why a principal acts. The audit keeps it with what it did.
 *
 * @param reason in its own words, 1 to {@value #LONGEST} characters; null when it gave none
 * @param reverts version of the configuration that it goes back from; null when it does not
 */
public record Cause(@Nullable String reason, @Nullable Long reverts) {
  /** Most characters of a reason. */
  public static final int LONGEST = 500;

  /** Nothing was said. */
  public static final Cause NONE = new Cause(null, null);
}

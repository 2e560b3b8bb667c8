package dev.fairlead.people.tenant;

import org.jspecify.annotations.Nullable;

/**
 * Why a principal acts. The audit stores it with the change.
 *
 * @param reason as given by the caller, 1 to 500 characters, null without a reason
 * @param reverts version of the configuration that it reverts, null if it does not
 */
public record Cause(@Nullable String reason, @Nullable Long reverts) {
  /** Maximum length of a reason in characters. */
  public static final int LONGEST = 500;

  /** No reason was given. */
  public static final Cause NONE = new Cause(null, null);
}

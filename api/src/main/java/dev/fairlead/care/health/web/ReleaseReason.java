package dev.fairlead.care.health.web;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Optional reason for a release from quarantine, in the body or in the query. */
final class ReleaseReason {
  /** Recorded if the caller sets no reason. */
  static final String NONE = "no reason given";

  private ReleaseReason() {}

  /**
   * @param inQuery null without a reason
   * @param inBody null without a body
   */
  static String of(@Nullable String inQuery, @Nullable String inBody) {
    return inBody == null ? Objects.requireNonNullElse(inQuery, NONE) : inBody;
  }
}

package dev.fairlead.attempt;

/**
 * Names on a cluster: derived from the attempt's id, so that a repeated create meets the same
 * object.
 */
public final class ObjectNames {
  public static final String PREFIX = "fl-";
  public static final String LABEL_PREFIX = "fairlead.dev/";

  private ObjectNames() {}

  /** Anchor, service and budget of an attempt. */
  public static String attempt(AttemptId attempt) {
    return PREFIX + attempt.bare();
  }

  /** A member's pod. */
  public static String pod(AttemptId attempt, MemberKey member) {
    return attempt(attempt) + "-" + member.text();
  }
}

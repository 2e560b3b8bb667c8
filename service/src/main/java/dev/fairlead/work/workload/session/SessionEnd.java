package dev.fairlead.work.workload.session;

/**
 * End of a session.
 *
 * @param why for people, empty for an end by the command, the port or the caller
 */
public record SessionEnd(Cause cause, String why) {
  /** Party that ended a session. */
  public enum Cause {
    /** The command, the port or the caller. */
    REGULAR,
    /** The cluster, without a result of the command. */
    CLUSTER,
    /** Fairlead, for a limit or because the caller lost its access. */
    RULE,
    /** This process, because it is shutting down. */
    SHUTDOWN
  }

  /** The caller has closed the session. */
  static final SessionEnd BY_CALLER = new SessionEnd(Cause.REGULAR, "");
}

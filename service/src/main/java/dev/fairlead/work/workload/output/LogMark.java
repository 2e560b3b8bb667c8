package dev.fairlead.work.workload.output;

import java.time.Instant;

/** Text by Fairlead between the lines of a member. */
public final class LogMark {
  private LogMark() {}

  /** Text for output that the cluster no longer had. */
  public static String missing(Instant from, Instant to) {
    return "lines from "
        + from
        + " to "
        + to
        + " are missing: the cluster had deleted them before Fairlead read them";
  }

  /** The line in a log. */
  public static String line(String what) {
    return "[fairlead: " + what + "]";
  }
}

package dev.fairlead.log;

/** Words of Fairlead's own between the lines of a member. */
public final class LogMark {
  private LogMark() {}

  /** As it stands in a log. */
  public static String line(String what) {
    return "[fairlead: " + what + "]";
  }
}

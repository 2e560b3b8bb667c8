package dev.fairlead.money.usage;

import java.util.List;

/** How many jobs waited and why, as it was seen, and what that adds up to by the hour. */
public interface WaitStore {
  /**
   * Notes how many jobs of each project and queue wait for each reason: spans of numbers that
   * changed since the last look end, and new ones begin. In a transaction.
   *
   * @param nowMillis the time of the look, milliseconds since 1970
   */
  void look(long nowMillis);

  /**
   * Replaces what is stored of the hour by what its spans add up to. In a transaction.
   *
   * @param hourMillis begin of the hour, milliseconds since 1970
   * @param toMillis what comes later is not counted
   */
  void write(long hourMillis, long toMillis);

  /** Where what is stored of a whole hour is not what its spans add up to, in job-milliseconds. */
  List<HourDifference> differences(long hourMillis);

  /** By period and groups. Inside a transaction of the tenant. */
  List<WaitRow> report(WaitQuery query);
}

package dev.fairlead.money.usage;

import java.util.List;

/** Sampled numbers of waiting jobs by reason, and their hourly sums. */
public interface WaitStore {
  /**
   * Records how many jobs of each project and queue wait for each reason. Spans of numbers that
   * changed since the last record end, and new spans begin. Runs in a transaction.
   *
   * @param nowMillis the time of the sample, milliseconds since 1970
   */
  void look(long nowMillis);

  /**
   * Replaces the stored sums of the hour by those of its spans. Runs in a transaction.
   *
   * @param hourMillis start of the hour, milliseconds since 1970
   * @param toMillis end of the counted time
   */
  void write(long hourMillis, long toMillis);

  /** Differences between the stored sums of a whole hour and its spans, in job-milliseconds. */
  List<HourDifference> differences(long hourMillis);

  /** Reports usage by period and groups. Inside a transaction of the tenant. */
  List<WaitRow> report(WaitQuery query);
}

package dev.fairlead.money.usage;

import dev.fairlead.money.usage.ledger.UseFacts;

/** Sampled numbers of waiting jobs by reason. */
public interface WaitStore {
  /**
   * Records how many jobs of each project and queue wait for each reason. Spans of numbers that
   * changed since the last record end, and new spans begin. Runs in a transaction.
   *
   * @param nowMillis the time of the sample, milliseconds since 1970
   */
  void look(long nowMillis);

  /**
   * The waits of the hour, by their spans.
   *
   * @param hourMillis start of the hour, milliseconds since 1970
   * @param toMillis end of the counted time
   */
  UseFacts sums(long hourMillis, long toMillis);
}

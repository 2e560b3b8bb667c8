package dev.fairlead.money.usage.ledger;

import java.util.List;
import java.util.function.Consumer;

/** The ledger of use: facts of each hour, their sums by the day (UTC), and reports of them. */
public interface UseLedger {
  /** Time of the database's clock, in milliseconds since 1970. */
  long now();

  /** Start of the first hour that may still change. Waits for no other transaction. */
  long open();

  /** Replaces all facts of the hour. Runs in a transaction. */
  void write(UseFacts hour);

  /** All facts of an hour. */
  UseFacts stored(long hourMillis);

  /**
   * Sums the newest closed day (UTC) with changed hours, or without a sum. Runs in a transaction.
   *
   * @return whether there was one
   */
  boolean sumDay();

  /** Recomputes the sums of a closed day (UTC). */
  void sumDay(long dayMillis);

  /**
   * Differences between a summed day (UTC) and its hours. Keyed by the start of the day. The result
   * is empty for a day that is not added up.
   */
  List<HourDifference> dayDifferences(long dayMillis);

  /**
   * Sums facts by the dimensions of the query: hours, or days where their sums suffice. Streams the
   * rows while they are read, in order of names and dimensions.
   */
  void report(UseQuery query, Consumer<UseSum> each);
}

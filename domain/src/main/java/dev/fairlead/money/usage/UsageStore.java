package dev.fairlead.money.usage;

import java.util.List;
import java.util.function.Consumer;

/** Intervals of use, states of GPUs, and what they add up to by the hour. */
public interface UsageStore {
  /**
   * How far it is.
   *
   * @param nowMillis the time of the database, which never goes back here
   * @param openMillis begin of the first hour that may still change
   */
  record Mark(long nowMillis, long openMillis) {}

  /** What the database's clock says, in milliseconds since 1970. */
  long now();

  /**
   * Notes which GPUs are there, in which state, and what is kept of them: spans of states that
   * changed since the last look end, and new ones begin. In a transaction.
   */
  Mark look();

  /**
   * Each GPU of which something is known between the two moments, once, with the labels that
   * tenants have named for the first.
   */
  void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each);

  /**
   * Replaces what is stored of the hour, and what follows from it for reports. In a transaction.
   */
  void write(HourSums sums);

  /** Hours before this one are closed: what begins or ends later does so after it. */
  void close(long openMillis);

  /**
   * Adds up the newest closed day (UTC) whose hours were written since it was added up last, or
   * that was never. In a transaction.
   *
   * @return whether there was one
   */
  boolean sumDay();

  /** Begin of the first hour that may still change; waits for no other transaction. */
  long open();

  /**
   * Waits for a transaction that writes hours and keeps others from it until this one ends.
   *
   * @return begin of the first hour that may still change
   */
  long lock();

  /**
   * Begin of the first hour that was written with clusters and capacity types, the largest number
   * while there is none. Hours after it lack them only where an older replica wrote them.
   */
  long placedFrom();

  /**
   * Where the sum of a day (UTC) that is added up is not that of its hours; by the begin of the
   * day, with a day among the parts of the key. Empty for a day that is not added up.
   */
  List<HourDifference> dayDifferences(long dayMillis);

  /** Adds a closed day (UTC) up again. */
  void sumDay(long dayMillis);

  /** What is stored of the hour. */
  HourSums stored(long hourMillis);

  /** By period and groups. Inside a transaction of the tenant. */
  List<UsageRow> report(UsageQuery query);
}

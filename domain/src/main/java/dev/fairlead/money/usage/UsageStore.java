package dev.fairlead.money.usage;

import java.util.List;
import java.util.function.Consumer;

/** Usage intervals, states of GPUs, and their hourly sums. */
public interface UsageStore {
  /**
   * Progress of the loop.
   *
   * @param nowMillis the time of the database, never decreasing here
   * @param openMillis start of the first hour that may still change
   */
  record Watermark(long nowMillis, long openMillis) {}

  /** Time of the database's clock, in milliseconds since 1970. */
  long now();

  /**
   * Samples the existing GPUs, their states and reservations. Spans of changed states end, and new
   * spans begin. Runs in a transaction.
   */
  Watermark look();

  /**
   * Lists each GPU with data between the two moments once, with the tenants' usage labels at the
   * first.
   */
  void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each);

  /**
   * Replaces the stored sums of the hour, and the data derived for reports. Runs in a transaction.
   */
  void write(HourSums sums);

  /** Closes the hours before this one. Later starts and ends are not earlier than it. */
  void close(long openMillis);

  /**
   * Sums the newest closed day (UTC) with changed hours, or without a sum. Runs in a transaction.
   *
   * @return whether there was one
   */
  boolean sumDay();

  /** Start of the first hour that may still change. Waits for no other transaction. */
  long open();

  /**
   * Waits for a transaction that writes hours and excludes others until this one ends.
   *
   * @return start of the first hour that may still change
   */
  long lock();

  /**
   * Differences between a summed day (UTC) and its hours. Keyed by the start of the day. Empty for
   * a day that is not added up.
   */
  List<HourDifference> dayDifferences(long dayMillis);

  /** Recomputes the sums of a closed day (UTC). */
  void sumDay(long dayMillis);

  HourSums stored(long hourMillis);

  /** Reports usage by period and groups. Inside a transaction of the tenant. */
  List<UsageRow> report(UsageQuery query);
}

package dev.fairlead.money.usage;

import java.util.function.Consumer;

/** Usage intervals, states of GPUs, and the hours that may still change. */
public interface UsageStore {
  /**
   * Progress of the loop.
   *
   * @param nowMillis the time of the database, never decreasing here
   * @param openMillis start of the first hour that may still change
   */
  record Watermark(long nowMillis, long openMillis) {}

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

  /** Closes the hours before this one. Later starts and ends are not earlier than it. */
  void close(long openMillis);

  /**
   * Waits for a transaction that writes hours and excludes others until this one ends.
   *
   * @return start of the first hour that may still change
   */
  long lock();
}

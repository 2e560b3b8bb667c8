package dev.fairlead.kernel.clock;

/** The clock of the database, without any judgement, and the watermarks that were stored by it. */
@FunctionalInterface
public interface ClockStore {
  /**
   * All values are in milliseconds since 1970.
   *
   * @param nowMillis time of the database's clock
   * @param lookMillis time of the last sample of the usage, by a believed clock
   * @param openMillis start of the first hour of usage that is not closed
   * @param bookedMillis latest time when a GPU was allocated or released
   */
  record Reading(long nowMillis, long lookMillis, long openMillis, long bookedMillis) {
    /** Time by which the latest watermark is ahead of the clock, negative when it is behind. */
    public long watermarksAheadMillis() {
      return Math.max(lookMillis, Math.max(openMillis, bookedMillis)) - nowMillis;
    }
  }

  Reading read();
}

package dev.fairlead.kernel.postgres;

/**
 * Maximum number of database connections of this process.
 *
 * @param requests size of the request pool
 * @param loops size of the loop pool
 */
public record ConnectionCount(int requests, int loops) {
  /**
   * 3 for leases and health. One each to listen, to notify, and to prove that the process is alive.
   */
  private static final int OTHERS = 6;

  public int all() {
    return requests + loops + OTHERS;
  }
}

package dev.fairlead.kernel.postgres;

/**
 * How many connections to the database this process may have.
 *
 * @param requests of the pool of requests
 * @param loops of that of loops
 */
public record ConnectionCount(int requests, int loops) {
  /** 3 for leases and health; one each listens, notifies and shows that the process lives. */
  private static final int OTHERS = 6;

  public int all() {
    return requests + loops + OTHERS;
  }
}

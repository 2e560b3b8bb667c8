package dev.fairlead.fleet.limit;

/** The limits of all tenants and projects, at most five seconds old while they can be read. */
public interface LimitSource {
  /**
   * Returns the limits, cheap enough for every request. Call this method before a transaction: it
   * can wait for a read, which needs another connection.
   *
   * @throws dev.fairlead.kernel.problem.Refusal UNAVAILABLE if they have not been read yet
   */
  LimitBook now();
}

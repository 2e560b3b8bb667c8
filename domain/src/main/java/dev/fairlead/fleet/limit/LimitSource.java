package dev.fairlead.fleet.limit;

/**
 * The limits of all tenants and projects as they were a moment ago: at most five seconds while they
 * can be read.
 */
public interface LimitSource {
  /**
   * Cheap enough for every request. To be asked for before a transaction: it can wait for a
   * reading, which needs a connection of its own.
   *
   * @throws dev.fairlead.kernel.problem.Refusal UNAVAILABLE when they were not read yet
   */
  LimitBook now();
}

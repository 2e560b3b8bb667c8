package dev.fairlead.verify.load.usage;

import dev.fairlead.launcher.EmbeddedDatabase;

/**
 * Size of the decision rows of finished jobs, without indexes.
 *
 * @param jobs with stored decisions
 * @param median bytes of a job, 0 without decisions
 * @param p95 bytes of a job, 0 without decisions
 */
record DecisionRows(long jobs, long median, long p95) {
  /** Largest median of the bytes of a job. */
  static final int GOAL = 2048;

  private static final String OF_JOBS =
      " FROM (SELECT sum(pg_column_size(d.*) + 4) AS bytes FROM job_decision d GROUP BY d.job)"
          + " jobs";

  static DecisionRows of(EmbeddedDatabase database) {
    return new DecisionRows(
        BlockedLoops.number(database, "SELECT count(*)" + OF_JOBS),
        BlockedLoops.number(database, at("0.5")),
        BlockedLoops.number(database, at("0.95")));
  }

  private static String at(String part) {
    return "SELECT coalesce(percentile_disc("
        + part
        + ") WITHIN GROUP (ORDER BY bytes), 0)"
        + OF_JOBS;
  }
}

package dev.fairlead.fleet.limit;

import dev.fairlead.work.spec.ArrayRange;

/** The limits for a tenant and for each of its projects. */
public enum Limit {
  /** Jobs that have not ended. */
  ACTIVE_JOBS("activeJobs", 1, 10_000_000),
  /** Projects of a tenant. */
  PROJECTS("projects", 1, 100_000),
  /** Reads per minute, and changes per minute, of all callers together. */
  REQUESTS_PER_MINUTE("requestsPerMinute", 1, 100_000_000),
  /** Bytes of one job's spec. */
  SPEC_BYTES("specBytes", 1024, 64 * 1024),
  /** Elements of one array job. */
  ARRAY_ELEMENTS("arrayElements", 1, ArrayRange.MOST),
  /** Seconds of {@code maxRuntime}. With this limit every job must specify one. */
  MAX_RUNTIME("maxRuntimeSeconds", 1, 365 * 86_400),
  /** Days for which decisions about the jobs of a tenant are retained. */
  DECISION_DAYS("decisionDays", 30, 3_660),
  /** MiB of stored code of one project. */
  WORKDIR_MIB("workdirMiB", 1, 10_000_000),
  /** Sessions in running members that are open on one replica. 0 permits none. */
  SESSIONS("sessions", 0, 10_000);

  private final String field;
  private final int least;
  private final int most;

  Limit(String field, int least, int most) {
    this.field = field;
    this.least = least;
    this.most = most;
  }

  /** Returns the name in the API. */
  public String field() {
    return field;
  }

  /** Returns the smallest value that can be set. */
  public int least() {
    return least;
  }

  /** Returns the largest value that can be set. */
  public int most() {
    return most;
  }

  /** Returns whether a project has a separate limit in addition to that of its tenant. */
  public boolean ofProjects() {
    return this != PROJECTS && this != DECISION_DAYS;
  }
}

package dev.fairlead.work.schedule;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The decision about an instant of a schedule. A schedule has at most one for each instant.
 *
 * @param instant without the delay of the schedule
 * @param job the submitted job, or null if none
 * @param owner user on whose behalf it was decided
 * @param detail reason why there is no job, at most 1,000 characters, empty with a job
 * @param instants number of instants that it covers, from 1: a MISSED run represents all
 *     consecutive missed instants up to its own
 * @param at time of the decision
 */
@RecordBuilder
public record ScheduleRun(
    ScheduleId schedule,
    TenantId tenant,
    Instant instant,
    Outcome outcome,
    @Nullable JobId job,
    String owner,
    String detail,
    int instants,
    Instant at)
    implements ScheduleRunBuilder.With {
  /** Number of runs of a schedule that remain readable at least. */
  public static final int HISTORY = 1_000;

  public static final Instant AFTER_ALL = Instant.parse("9999-01-01T00:00:00Z");

  private static final int LONGEST_DETAIL = 1_000;

  /** Outcome of an instant. */
  public enum Outcome {
    /** A job was submitted. */
    SUBMITTED,
    /** No job: an earlier job had not ended. */
    OVERLAPPED,
    /** No job: the instant had passed, and the schedule does not catch up that far. */
    MISSED,
    /** No job: the submit was refused. */
    REFUSED,
    /** No job: the submit failed several times because of a defect. */
    FAILED
  }

  public ScheduleRun {
    detail = detail.length() > LONGEST_DETAIL ? detail.substring(0, LONGEST_DETAIL) : detail;
  }

  /** Returns the run for several instants, of which this is the last. */
  public ScheduleRun of(int several) {
    return withInstants(several);
  }
}

package dev.fairlead.work.schedule;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Progress and runs of schedules. Both are removed with the document of the schedule. */
public interface ScheduleStore {
  /** Schedules of all tenants that are due at that time, the longest waiting first. */
  List<ScheduleState> due(Instant now, int limit);

  List<ScheduleState> all(TenantId tenant);

  /** Returns the schedule of the document, or empty for a document of another tenant. */
  Optional<ScheduleState> find(TenantId tenant, String document);

  /** Like {@link #find}, and locks the row until the end of the open transaction. */
  Optional<ScheduleState> locked(TenantId tenant, String document);

  void insert(ScheduleState state);

  /** Replaces a row that {@link #locked} returned in the open transaction. */
  void update(ScheduleState state);

  /**
   * Stores a run.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when the instant has a run
   */
  void insert(ScheduleRun run);

  /**
   * Runs of a schedule, the newest instant first.
   *
   * @param before only instants before that one
   */
  List<ScheduleRun> runs(TenantId tenant, ScheduleId schedule, Instant before, int limit);

  /** The jobs of its last runs with a job, the newest first. */
  List<JobId> jobs(TenantId tenant, ScheduleId schedule, int limit);

  /** Deletes the runs of a schedule except for that many of the newest. */
  void forget(TenantId tenant, ScheduleId schedule, int retained);
}

package dev.fairlead.work.job.store;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;

/** Active jobs of all tenants, for loops. */
public interface ActiveJobs {
  /** Time for which a move back counts for the limit of its queue. */
  Duration MOVES_COUNT = Duration.ofHours(1);

  /** Runs of one job that are learned from, the newest. */
  int RUNS_EACH = 10;

  /** By job id. */
  List<ActiveJob> active();

  /** Jobs of earlier responses that were out of date because a change left no note. */
  long lostNotes();

  /** Returns whether a job, or an element of an array, may wait for a place. Reads no job. */
  boolean anyWaits();

  /** Name and life of the jobs, including ended ones. Missing ones are omitted. By id. */
  List<NamedRun> runs(Collection<JobId> ids);

  /**
   * Elements with a row of these jobs, including ended and archived jobs. Ordered by job and index.
   */
  List<JobElement> elements(Collection<JobId> ids);

  /**
   * Attempts that ended for their node within {@link PlaceFailure#REMEMBERED}, the newest first, at
   * most {@link PlaceFailure#MOST}.
   */
  List<PlaceFailure> placeFailures();

  /**
   * Attempts that were moved back and ended within {@link #MOVES_COUNT}, by queue. Queues without
   * any are omitted.
   */
  SortedMap<QuotaNodeId, Integer> movedBack();

  /**
   * Returns runs of jobs that ended on their own after that time: the newest jobs up to the limit,
   * each with its last {@link #RUNS_EACH} runs.
   *
   * @param most jobs, at least 1
   */
  List<LearnedRuntimes.Run> endedRuns(Instant after, int most);

  /**
   * A job with its live attempts and waiting elements.
   *
   * @param live its live attempts, by id
   * @param elements elements of an array: all elements that started, by index. Empty otherwise
   */
  record ActiveJob(Job job, List<Attempt> live, List<JobElement> elements) {
    public ActiveJob {
      live = List.copyOf(live);
      elements = List.copyOf(elements);
    }
  }

  /** Progress of a job. */
  record NamedRun(JobId id, TenantId tenant, String name, JobStatus run) {}
}

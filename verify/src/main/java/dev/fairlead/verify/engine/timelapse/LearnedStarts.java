package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.LearnedWaits;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.placement.Plan;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Learns like the service, and records the first estimate of each job after a wait of more than a
 * minute.
 */
final class LearnedStarts {
  /** Seconds that a job waits before its first estimate. */
  static final long WAITED = LearnedWaits.WAITED.toSeconds();

  private final LearnedRuntimes runtimes = new LearnedRuntimes();
  private final LearnedWaits waits = new LearnedWaits();
  private final Map<JobId, Arrival> arrivals = new LinkedHashMap<>();
  private final Map<Arrival, ExpectedStart> told = new LinkedHashMap<>();
  private final Map<Arrival, Long> first = new LinkedHashMap<>();
  private final long until;
  private final long every;
  private long next;

  /**
   * @param until it learns from jobs that were submitted earlier, in seconds since the trace began
   * @param every shortest interval between two estimates in seconds
   */
  LearnedStarts(long until, long every) {
    this.until = until;
    this.every = every;
  }

  /** First estimates by job. */
  Map<Arrival, ExpectedStart> told() {
    return told;
  }

  int runs() {
    return runtimes.runs();
  }

  /** Learns from a run that was not interrupted. */
  void ended(Arrival arrival, Job job, long started, long ended) {
    if (arrival.submitted() < until) {
      runtimes.add(
          new LearnedRuntimes.Run(
              RunGroup.of(job), Rows.at(ended), Duration.ofSeconds(ended - started)));
    }
  }

  /**
   * Time of a job's first start, in seconds since the trace began. The job may have been evicted
   * since.
   */
  long first(Arrival job) {
    return first.getOrDefault(job, job.submitted());
  }

  void started(Arrival arrival, JobId job, long at) {
    first.putIfAbsent(arrival, at);
    waits.started(job, Rows.at(at));
    arrivals.remove(job);
  }

  /** The result is null if no estimate is due. */
  @Nullable LearnedRuntimes learned(long now, boolean due) {
    if (!due || now < next || runtimes.runs() == 0) {
      return null;
    }
    next = now + every;
    return runtimes;
  }

  boolean due(Arrival arrival, Job job, long now) {
    return now - arrival.submitted() > WAITED && !waits.knows(job.id());
  }

  void foreseen(Arrival arrival, Job job, Plan plan) {
    Instant start = plan.foreseen().get(job.id());
    long now = Duration.between(Rows.at(0), plan.asOf()).toSeconds();
    if (start != null && due(arrival, job, now)) {
      waits.foreseen(job, plan.asOf(), start);
      arrivals.put(job.id(), arrival);
    }
  }

  void told(Instant now) {
    waits
        .expected(now, runtimes.runs())
        .forEach((id, start) -> {
          Arrival arrival = arrivals.get(id);
          if (arrival != null) {
            told.putIfAbsent(arrival, start);
          }
        });
  }
}

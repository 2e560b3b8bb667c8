package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.store.ActiveJobs;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Run times for forecasts, from the newest ended jobs. Each process reads them, because the data of
 * the scheduler is not shared and changes during a read.
 */
@Component
public class LearnedRuns {
  private final ActiveJobs jobs;
  private final MonotonicClock clock;
  private volatile @Nullable Read last;

  private record Read(long nanos, List<LearnedRuntimes.Run> runs) {}

  public LearnedRuns(ActiveJobs jobs, Leases leases) {
    this.jobs = jobs;
    clock = leases.clock();
  }

  /** A copy for the caller. The data is at most half a minute old once a run is known. */
  LearnedRuntimes learned(Instant now) {
    Read known = last;
    long age = known == null ? 0 : clock.nanos() - known.nanos();
    if (known == null || known.runs().isEmpty() || age > StartEstimates.EVERY.toNanos()) {
      Instant after = now.minus(LearnedRuntimes.HALF_LIFE);
      known = new Read(clock.nanos(), jobs.endedRuns(after, StartEstimates.FIRST));
      last = known;
    }
    LearnedRuntimes learned = new LearnedRuntimes();
    known.runs().forEach(learned::add);
    return learned;
  }
}

package dev.fairlead.world.postgres;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.identity.JobId;
import dev.fairlead.job.ActiveJobs.ActiveJob;
import dev.fairlead.job.ActiveJobs.NamedRun;
import dev.fairlead.spec.JobSpec.Dependency;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Pending jobs and live attempts of the jobs that have not ended.
 *
 * @param active what both follow from
 * @param asOf time for which the offers are right
 * @param needed jobs that pending jobs depend on
 * @param runs of those that are there
 */
record ActiveWork(
    List<ActiveJob> active,
    Instant asOf,
    Set<JobId> needed,
    List<NamedRun> runs,
    List<PendingJob> pending,
    List<World.LiveAttempt> live) {
  static final ActiveWork NONE =
      new ActiveWork(List.of(), Instant.EPOCH, Set.of(), List.of(), List.of(), List.of());

  /** The same lists while nothing of what they follow from changed. */
  ActiveWork at(
      List<ActiveJob> jobs, Instant now, Function<Collection<JobId>, List<NamedRun>> runsOf) {
    boolean same = jobs.equals(active) && !now.isBefore(asOf) && !retries(now);
    return same && runsOf.apply(needed).equals(runs) ? this : of(jobs, now, runsOf);
  }

  /** Whether an offer that backed off then may start by now; its place among the others changes. */
  private boolean retries(Instant now) {
    return pending.stream()
        .flatMap(job -> job.offers().stream())
        .map(PendingJob.Offer::retryAt)
        .anyMatch(time -> time != null && time.isAfter(asOf) && !time.isAfter(now));
  }

  private static ActiveWork of(
      List<ActiveJob> jobs, Instant now, Function<Collection<JobId>, List<NamedRun>> runsOf) {
    SortedMap<JobId, List<PendingJob.Offer>> offers = new TreeMap<>();
    Set<JobId> needed = new TreeSet<>();
    for (ActiveJob job : jobs) {
      List<PendingJob.Offer> found = Offers.of(job, now);
      if (!found.isEmpty()) {
        offers.put(job.job().id(), found);
        job.job().spec().dependsOn().stream().map(Dependency::job).forEach(needed::add);
      }
    }
    List<NamedRun> runs = runsOf.apply(needed);
    SortedMap<JobId, NamedRun> byId = new TreeMap<>();
    runs.forEach(run -> byId.put(run.id(), run));
    List<PendingJob> pending = new ArrayList<>();
    for (ActiveJob job : jobs) {
      List<PendingJob.Offer> found = offers.get(job.job().id());
      if (found != null) {
        pending.add(Dependencies.pending(job.job(), found, byId));
      }
    }
    return new ActiveWork(jobs, now, needed, runs, List.copyOf(pending), live(jobs));
  }

  private static List<World.LiveAttempt> live(List<ActiveJob> jobs) {
    List<World.LiveAttempt> live = new ArrayList<>();
    for (ActiveJob job : jobs) {
      for (Attempt attempt : job.live()) {
        live.add(new World.LiveAttempt(attempt, job.job()));
      }
    }
    live.sort(Comparator.comparing(l -> l.attempt().id()));
    return List.copyOf(live);
  }
}

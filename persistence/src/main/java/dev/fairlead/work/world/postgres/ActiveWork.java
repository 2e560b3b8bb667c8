package dev.fairlead.work.world.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.ActiveJobs.ActiveJob;
import dev.fairlead.work.job.ActiveJobs.NamedRun;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Pending jobs and live attempts of the jobs that have not ended. Results for unchanged jobs are
 * reused in the next view, so that a cycle costs little for each unchanged job.
 *
 * @param parts results for each job that has not ended
 * @param asOf time at which the offers are valid
 * @param needed jobs that pending jobs depend on
 * @param runs runs of existing needed jobs
 */
record ActiveWork(
    List<ActiveJob> active,
    List<Part> parts,
    Instant asOf,
    Set<JobId> needed,
    List<NamedRun> runs,
    List<PendingJob> pending,
    List<World.LiveAttempt> live) {
  static final ActiveWork NONE =
      new ActiveWork(
          List.of(), List.of(), Instant.EPOCH, Set.of(), List.of(), List.of(), List.of());

  /**
   * Results for one job.
   *
   * @param offers offers of an array depend on the time
   * @param alone result of a waiting job without dependencies
   */
  private record Part(
      ActiveJob of,
      List<PendingJob.Offer> offers,
      @Nullable PendingJob alone,
      List<World.LiveAttempt> live) {
    static Part of(ActiveJob active, Instant now) {
      List<PendingJob.Offer> offers = Offers.of(active, now);
      boolean alone = !offers.isEmpty() && active.job().spec().dependsOn().isEmpty();
      List<World.LiveAttempt> live = new ArrayList<>();
      for (Attempt attempt : active.live()) {
        live.add(new World.LiveAttempt(attempt, active.job()));
      }
      return new Part(
          active,
          offers,
          alone ? Dependencies.pending(active.job(), offers, Map.of()) : null,
          List.copyOf(live));
    }

    /** Whether its dependencies decide about it. */
    boolean depends() {
      return alone == null && !offers.isEmpty();
    }

    PendingJob pending(Map<JobId, NamedRun> runs) {
      return alone == null ? Dependencies.pending(of.job(), offers, runs) : alone;
    }
  }

  /** The same lists while their inputs are unchanged. */
  ActiveWork at(
      List<ActiveJob> jobs, Instant now, Function<Collection<JobId>, List<NamedRun>> runsOf) {
    boolean same = jobs.equals(active) && !now.isBefore(asOf) && !retries(now);
    return same && runsOf.apply(needed).equals(runs) ? this : of(jobs, now, runsOf);
  }

  /** Whether an offer in back-off may start by now, which changes its position. */
  private boolean retries(Instant now) {
    for (PendingJob job : pending) {
      for (PendingJob.Offer offer : job.offers()) {
        Instant time = offer.retryAt();
        if (time != null && time.isAfter(asOf) && !time.isAfter(now)) {
          return true;
        }
      }
    }
    return false;
  }

  private ActiveWork of(
      List<ActiveJob> jobs, Instant now, Function<Collection<JobId>, List<NamedRun>> runsOf) {
    List<Part> all = parts(jobs, now);
    Set<JobId> needs = new HashSet<>();
    for (Part part : all) {
      if (part.depends()) {
        part.of().job().spec().dependsOn().stream().map(Dependency::job).forEach(needs::add);
      }
    }
    List<NamedRun> found = runsOf.apply(needs);
    Map<JobId, NamedRun> byId = new HashMap<>();
    found.forEach(run -> byId.put(run.id(), run));
    List<PendingJob> waiting = new ArrayList<>();
    List<World.LiveAttempt> attempts = new ArrayList<>();
    for (Part part : all) {
      if (!part.offers().isEmpty()) {
        waiting.add(part.pending(byId));
      }
      attempts.addAll(part.live());
    }
    attempts.sort(Comparator.comparing(each -> each.attempt().id()));
    return new ActiveWork(
        jobs, all, now, needs, found, List.copyOf(waiting), List.copyOf(attempts));
  }

  /** Both lists of jobs have the same order, so one pass finds unchanged jobs. */
  @SuppressWarnings("ReferenceEquality") // a job that changed is another object
  private List<Part> parts(List<ActiveJob> jobs, Instant now) {
    List<Part> all = new ArrayList<>(jobs.size());
    int at = 0;
    for (ActiveJob job : jobs) {
      while (at < parts.size() && parts.get(at).of() != job && before(parts.get(at), job)) {
        at++;
      }
      Part kept = at < parts.size() && parts.get(at).of() == job ? parts.get(at) : null;
      all.add(kept == null || job.job().array() != null ? Part.of(job, now) : kept);
    }
    return all;
  }

  private static boolean before(Part part, ActiveJob job) {
    return part.of().job().id().compareTo(job.job().id()) < 0;
  }
}

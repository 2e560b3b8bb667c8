package dev.fairlead.work.placement.backfill;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.explanation.Explanation.Estimate;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Estimates when waiting jobs start: by their maximum runtimes, and by learned run times. A running
 * attempt that reports progress ends by it in both, unless its reported end has passed or is beyond
 * its maximum runtime.
 */
public final class StartTimeEstimator {
  /** Maximum number of jobs in the simulation, counted from the first. */
  public static final int MOST = 2000;

  private static final String ASSUMPTION =
      "every job takes its longest runtime (its own or its queue's), and no job is added";

  private static final String BY_PROGRESS =
      "running jobs end by reported progress, every other job takes its longest runtime (its own or"
          + " its queue's), and no job is added";

  private final Reservations reservations;
  private final Ledger ledger;
  private final long most;
  private final Instant asOf;
  private final SortedMap<AttemptId, Instant> reportedEnds;
  private final List<QueuePlay.Wait> waits = new ArrayList<>();

  /**
   * @param most node evaluations for each of the two estimates. Jobs that are not reached have no
   *     estimate
   * @param reportedEnds ends of running attempts by their reported progress
   */
  public StartTimeEstimator(
      Reservations reservations,
      Ledger ledger,
      long most,
      Instant asOf,
      SortedMap<AttemptId, Instant> reportedEnds) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.most = most;
    this.asOf = asOf;
    this.reportedEnds = reportedEnds;
  }

  /** Adds a waiting job behind the previous ones. Only the first {@link #MOST} count. */
  public void waits(Job job, EquivalenceClass equivalenceClass) {
    if (waits.size() < MOST) {
      waits.add(new QueuePlay.Wait(job, equivalenceClass));
    }
  }

  /**
   * Returns when 50 % and 90 % of the jobs of a class have started, by the maximum runtimes.
   * Classes without an estimate are omitted.
   */
  public Map<EquivalenceClass, Estimate> longest() {
    Map<EquivalenceClass, List<Instant>> starts = new LinkedHashMap<>();
    Longest ends = new Longest();
    play(ends)
        .forEach((wait, start) ->
            starts.computeIfAbsent(wait.equivalenceClass(), e -> new ArrayList<>()).add(start));
    Map<EquivalenceClass, Estimate> estimates = new LinkedHashMap<>();
    starts.forEach((equivalenceClass, times) -> {
      long count = equivalenceClass.pending();
      Instant half = at(times, count, 50);
      Instant ninth = at(times, count, 90);
      if (half != null && ninth != null) {
        estimates.put(equivalenceClass, new Estimate(half, ninth, ends.assumption()));
      }
    });
    return estimates;
  }

  /**
   * Returns when each job starts if jobs take their learned run times. Covers as many jobs as the
   * plan reaches.
   */
  public SortedMap<JobId, Instant> foreseen(LearnedRuntimes learned) {
    SortedMap<JobId, Instant> foreseen = new TreeMap<>();
    play(new LearnedEnds(learned, reservations.admission().tree(), asOf, this::reportedEnd))
        .forEach((wait, start) -> foreseen.put(wait.job().id(), start));
    return foreseen;
  }

  private Map<QueuePlay.Wait, Instant> play(QueuePlay.Ends ends) {
    WorkBudget work = new WorkBudget(most);
    return new QueuePlay(reservations, ledger, work, asOf, ends).play(waits);
  }

  /** Returns the end by reported progress, null if none and after it has passed. */
  private @Nullable Instant reportedEnd(RunningAttempt running) {
    Instant end = reportedEnds.get(running.attempt().id());
    return end != null && end.isAfter(asOf) ? end : null;
  }

  private static @Nullable Instant at(List<Instant> times, long count, int percent) {
    int index = (int) Math.ceilDiv(count * percent, 100L) - 1;
    return index < times.size() ? times.get(index) : null;
  }

  private final class Longest implements QueuePlay.Ends {
    private boolean byProgress;

    String assumption() {
      return byProgress ? BY_PROGRESS : ASSUMPTION;
    }

    @Override
    public @Nullable Instant of(RunningAttempt running) {
      Instant latest = ExpectedCompletions.at(running, reservations.admission().tree(), asOf);
      Instant reported = reportedEnd(running);
      if (reported == null || latest != null && !reported.isBefore(latest)) {
        return latest;
      }
      byProgress = true;
      return reported;
    }

    @Override
    public @Nullable Instant of(Job job, Instant start) {
      return Runtimes.end(job, reservations.admission().tree(), start);
    }
  }
}

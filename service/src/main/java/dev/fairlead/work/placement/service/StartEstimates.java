package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.LearnedWaits;
import dev.fairlead.work.job.store.ActiveJobs;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Learns the run times and waits of jobs every half minute while jobs are planned, and stores the
 * likely starts of waiting jobs. The data is in memory: run times are read again from ended jobs,
 * and waits are learned again after a change of the scheduler. A failure is logged and delays no
 * plan.
 */
@Component
public class StartEstimates {
  static final Duration EVERY = Duration.ofSeconds(30);

  /** Ended jobs of the first read and of each later read. Older ones are skipped. */
  static final int FIRST = 2_000;

  private static final int MOST = 500;

  /** Live attempts with reported progress that are read at most, in equal shares of projects. */
  static final int MOST_REPORTING = 10_000;

  /** A start that moves by less is not written again. */
  private static final Duration MOVED = Duration.ofMinutes(1);

  private static final Logger LOG = LoggerFactory.getLogger(StartEstimates.class);

  private final Transactions transactions;
  private final ActiveJobs jobs;
  private final ExplanationStore store;
  private final ProgressStore progress;
  private final MonotonicClock clock;
  private LearnedRuntimes runtimes = new LearnedRuntimes();

  /** Guards the learned waits, which forecasts read while the scheduler updates them. */
  private final Object known = new Object();

  private LearnedWaits waits = new LearnedWaits();
  private SortedMap<JobId, ExpectedStart> written = new TreeMap<>();
  private long epoch = -1;
  private @Nullable Instant learned;
  private long next;
  private boolean due;
  private volatile @Nullable Reported reported;

  private record Reported(long nanos, SortedMap<AttemptId, Instant> ends) {}

  public StartEstimates(
      Transactions transactions,
      ActiveJobs jobs,
      ExplanationStore store,
      ProgressStore progress,
      Leases leases) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.store = store;
    this.progress = progress;
    clock = leases.clock();
    next = clock.nanos();
  }

  /** Run times for the next plan, null if not needed. */
  @Nullable LearnedRuntimes runtimes(HeldLease lease, World world) {
    due = clock.nanos() - next >= 0;
    if (!due) {
      return null;
    }
    next = clock.nanos() + EVERY.toNanos();
    try {
      begin(lease);
      learn(world.asOf());
    } catch (RuntimeException failed) {
      LOG.warn("run times are not learned now", failed);
    }
    boolean unknown = world.pending().stream().anyMatch(each -> fresh(each, world.asOf()));
    return unknown && runtimes.runs() > 0 ? runtimes : null;
  }

  /**
   * Ends of running attempts by their reported progress, at most half a minute old, for a plan of
   * that world. The result is empty when no job waits. Thread-safe.
   */
  SortedMap<AttemptId, Instant> reportedEnds(World world) {
    if (world.pending().isEmpty() || world.live().isEmpty()) {
      return Collections.emptySortedMap();
    }
    Reported known = reported;
    if (known == null || clock.nanos() - known.nanos() >= EVERY.toNanos()) {
      known = new Reported(clock.nanos(), read(world));
      reported = known;
    }
    return known.ends();
  }

  private SortedMap<AttemptId, Instant> read(World world) {
    try {
      return progress.predictedEnds(reporting(world.live(), MOST_REPORTING));
    } catch (RuntimeException failed) {
      LOG.warn("reported progress is not read now", failed);
      return Collections.emptySortedMap();
    }
  }

  /**
   * Attempts that have to report progress, the oldest first. If there are too many, each project of
   * each cluster has an equal share, and unneeded parts are divided among the others.
   */
  static List<AttemptId> reporting(List<World.LiveAttempt> live, int most) {
    SortedMap<String, Deque<AttemptId>> shares = new TreeMap<>();
    live.stream()
        .filter(each -> each.job().spec().progress() != null)
        .sorted(Comparator.comparing(each -> each.attempt().id()))
        .forEach(each ->
            shares
                .computeIfAbsent(
                    each.attempt().cluster() + " " + each.job().project(),
                    key -> new ArrayDeque<>())
                .add(each.attempt().id()));
    List<AttemptId> chosen = new ArrayList<>();
    while (!shares.isEmpty() && chosen.size() < most) {
      shares.values().stream()
          .limit((long) most - chosen.size())
          .forEach(share -> chosen.add(share.remove()));
      shares.values().removeIf(Deque::isEmpty);
    }
    return chosen;
  }

  /** Resets under another epoch, because another process may have learned and written since. */
  private void begin(HeldLease lease) {
    if (epoch != lease.epoch()) {
      epoch = lease.epoch();
      runtimes = new LearnedRuntimes();
      synchronized (known) {
        waits = new LearnedWaits();
      }
      written = new TreeMap<>();
      learned = null;
    }
  }

  private void learn(Instant now) {
    Instant before = learned;
    Instant after = before == null ? now.minus(LearnedRuntimes.HALF_LIFE) : before;
    List<LearnedRuntimes.Run> runs = jobs.endedRuns(after, before == null ? FIRST : MOST);
    runs.forEach(runtimes::add);
    learned = now;
  }

  /**
   * Likely start of a job that is submitted now, null while too few starts are known, and if
   * another process schedules. Thread-safe.
   *
   * @param start the simulated start
   * @param runs number of runs behind the simulated start
   */
  @Nullable ExpectedStart expected(Job job, Instant now, Instant start, int runs) {
    synchronized (known) {
      return waits.expected(job, now, start, runs);
    }
  }

  /** Discards the learned waits, because another process schedules and learns. */
  void forget() {
    epoch = -1;
    synchronized (known) {
      waits = new LearnedWaits();
    }
  }

  private boolean fresh(PendingJob pending, Instant now) {
    Instant since = pending.job().createdAt();
    return now.isAfter(since.plus(LearnedWaits.WAITED)) && !waits.knows(pending.job().id());
  }

  /**
   * Accepts the simulated starts of the plan, and writes likely starts.
   *
   * @throws FenceLost when another scheduler acts
   */
  void keep(HeldLease lease, World world, Plan plan) {
    if (!due) {
      return;
    }
    due = false;
    try {
      synchronized (known) {
        follow(world);
        for (PendingJob pending : world.pending()) {
          Instant start = plan.foreseen().get(pending.job().id());
          if (start != null && fresh(pending, world.asOf())) {
            waits.foreseen(pending.job(), world.asOf(), start);
          }
        }
      }
      write(lease, world.asOf());
    } catch (FenceLost lost) {
      throw lost;
    } catch (RuntimeException failed) {
      LOG.warn("starts are not estimated now", failed);
    }
  }

  /** Learns from jobs that have started or no longer wait since the last call. */
  private void follow(World world) {
    if (waits.waiting().isEmpty()) {
      return;
    }
    world.live().forEach(live -> waits.started(live.job().id(), live.attempt().createdAt()));
    Set<JobId> pending = new TreeSet<>();
    world.pending().forEach(each -> pending.add(each.job().id()));
    waits.keep(pending::contains);
    written.keySet().retainAll(pending);
  }

  private void write(HeldLease lease, Instant now) {
    SortedMap<JobId, ExpectedStart> changed = new TreeMap<>();
    Map<JobId, ExpectedStart> expected;
    synchronized (known) {
      expected = waits.expected(now, runtimes.runs());
    }
    expected.forEach((job, start) -> {
      ExpectedStart before = written.get(job);
      if (before == null || moved(before.p50(), start.p50()) || moved(before.p90(), start.p90())) {
        changed.put(job, start);
      }
    });
    if (!changed.isEmpty()) {
      transactions.runFenced(lease, () -> store.expect(changed));
      written.putAll(changed);
    }
  }

  private static boolean moved(Instant before, Instant now) {
    return Duration.between(before, now).abs().compareTo(MOVED) > 0;
  }
}

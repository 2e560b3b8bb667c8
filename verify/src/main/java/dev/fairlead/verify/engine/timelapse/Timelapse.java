package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Tree;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Replays jobs on one cluster: a plan after every submit or end, at most one in a tick of virtual
 * time. A job runs for the time in its trace. An evicted job starts over.
 */
final class Timelapse {
  /** Seconds from the eviction of a job to its end. */
  static final long EVICTION = 30;

  private static final long HOUR = 3600;

  private final List<Arrival> jobs;
  private final Tree tree;
  private final VirtualCluster cluster;
  private final long tick;
  private final @Nullable LearnedStarts telling;
  private final Rows rows = new Rows();
  private final Timeline timeline = new Timeline(HOUR);
  private final Map<JobId, Waiting> waiting = new LinkedHashMap<>();
  private final Map<JobId, Running> running = new LinkedHashMap<>();
  private final Map<Reservation.Key, Reservation> reservations = new TreeMap<>();
  private final PriorityQueue<Running> ends =
      new PriorityQueue<>(
          Comparator.comparingLong(Running::end).thenComparing(r -> r.row().attempt().id()));
  private final List<Outcome> outcomes = new ArrayList<>();
  private long now;
  private long waitingMilli;
  private long usedMilli;
  private long plans;
  private long attempts;
  private int next;

  private record Waiting(Arrival arrival, PendingJob row, int preemptions) {}

  private record Running(
      Waiting job, World.LiveAttempt row, long started, long end, boolean again) {}

  /**
   * Result of a replay.
   *
   * @param outcomes outcomes of every job
   * @param plans number of the engine's plans
   */
  record Result(List<Outcome> outcomes, List<Interval> moments, long plans) {}

  /**
   * @param jobs by time of submission
   * @param tick seconds, at least 1
   */
  Timelapse(List<Arrival> jobs, Tree tree, VirtualCluster cluster, long tick) {
    this(jobs, tree, cluster, tick, null);
  }

  /**
   * @param telling computes expected starts, null for a replay without them
   */
  Timelapse(
      List<Arrival> jobs,
      Tree tree,
      VirtualCluster cluster,
      long tick,
      @Nullable LearnedStarts telling) {
    this.jobs = jobs;
    this.tick = tick;
    this.tree = tree;
    this.cluster = cluster;
    this.telling = telling;
  }

  Result run() {
    while (next < jobs.size() || !ends.isEmpty()) {
      long arrival = next < jobs.size() ? jobs.get(next).submitted() : Long.MAX_VALUE;
      long end = ends.isEmpty() ? Long.MAX_VALUE : ends.peek().end();
      passTo(Math.ceilDiv(Math.min(arrival, end), tick) * tick);
      if (!waiting.isEmpty()) {
        apply(plan());
      }
    }
    waiting.values().forEach(w -> outcomes.add(new Outcome(w.arrival, -1, -1, w.preemptions)));
    return new Result(outcomes, timeline.moments(), plans);
  }

  /** Executes all submits and ends up to then. Capacity is released at the time of each end. */
  private void passTo(long then) {
    while (true) {
      long arrival = next < jobs.size() ? jobs.get(next).submitted() : Long.MAX_VALUE;
      long end = ends.isEmpty() ? Long.MAX_VALUE : ends.peek().end();
      if (Math.min(arrival, end) > then) {
        break;
      }
      stand(Math.min(arrival, end));
      if (end <= arrival) {
        end(ends.remove());
      } else {
        arrive(jobs.get(next));
        next++;
      }
    }
    stand(then);
  }

  private void stand(long then) {
    timeline.stood(
        now, then, usedMilli / 1000.0, cluster.fragmented(), waitingMilli / 1000.0, running.size());
    now = Math.max(now, then);
  }

  private void arrive(Arrival arrival) {
    PendingJob row = rows.pending(arrival, next, tree.queue(arrival.queue()));
    waiting.put(row.job().id(), new Waiting(arrival, row, 0));
    waitingMilli += arrival.gpuMilli();
  }

  private Plan plan() {
    plans++;
    World world =
        World.at(Rows.at(now))
            .clusters(List.of(cluster.cluster()))
            .nodes(cluster.nodes())
            .quotaNodes(tree.nodes())
            .quotaUses(cluster.quota().uses())
            .pending(waiting.values().stream().map(Waiting::row).toList())
            .live(running.values().stream().map(Running::row).toList())
            .reservations(List.copyOf(reservations.values()))
            .build();
    LearnedRuntimes learned =
        telling == null
            ? null
            : telling.learned(
                now,
                waiting.values().stream().anyMatch(w -> telling.due(w.arrival, w.row.job(), now)));
    Snapshot snapshot = new Snapshot(world, List.of(), List.of(), Long.MAX_VALUE, learned);
    return new SchedulingEngine().plan(snapshot);
  }

  private void tell(Plan plan) {
    if (telling != null && !plan.foreseen().isEmpty()) {
      waiting.values().forEach(w -> telling.foreseen(w.arrival, w.row.job(), plan));
      telling.told(plan.asOf());
    }
  }

  private void apply(Plan plan) {
    tell(plan);
    for (Decision decision : plan.decisions()) {
      switch (decision) {
        case Decision.Place place -> start(place);
        case Decision.Preempt preempt -> {
          preempt.victims().forEach(this::tell);
          preempt.taken().forEach(taken -> reservations.remove(taken.key(), taken));
          reservations.put(preempt.reservation().key(), preempt.reservation());
          preempt.moved().forEach(moved -> reservations.put(moved.key(), moved));
        }
        case Decision.Reserve reserve ->
            reservations.put(reserve.reservation().key(), reserve.reservation());
        case Decision.Release release -> reservations.remove(release.reservation().key());
        case Decision.Grow grow -> throw new IllegalStateException("elastic: " + grow);
        case Decision.Shrink shrink -> throw new IllegalStateException("elastic: " + shrink);
        case Decision.Leftover over -> throw new IllegalStateException("no windows: " + over);
        case Decision.MoveBack back -> throw new IllegalStateException("no prices: " + back);
        case Decision.Hold hold -> {}
        case Decision.Ask ask -> throw new IllegalStateException("no checks: " + ask);
        case Decision.Expire expire ->
            throw new IllegalStateException("traces have no deadlines: " + expire);
      }
    }
  }

  /** Evicts a job. Ends the evicted attempt after its grace period, unless it completes before. */
  private void tell(Decision.Preempt.Eviction victim) {
    Running told = running.get(victim.job());
    if (told == null) {
      return;
    }
    ends.remove(told);
    Attempt attempt = told.row.attempt();
    AttemptEvent stop =
        JobTransitions.stop(
            attempt,
            StopCause.PREEMPTION,
            told.row.job().spec(),
            victim.right().text(),
            Rows.at(now));
    Attempt stopping = AttemptLifecycle.apply(attempt, stop, Rows.at(now)).orElse(attempt);
    Running leaves =
        new Running(
            told.job,
            new World.LiveAttempt(stopping, told.row.job()),
            told.started,
            Math.min(told.end, now + EVICTION),
            told.end > now + EVICTION);
    running.put(victim.job(), leaves);
    ends.add(leaves);
  }

  private void start(Decision.Place place) {
    reservations.remove(new Reservation.Key(place.job(), place.element()));
    Waiting job = Objects.requireNonNull(waiting.remove(place.job()), "a job that does not wait");
    Attempt attempt =
        Rows.attempt(job.row.job(), place.cluster(), place.members(), ++attempts, now);
    cluster.take(place.members(), job.row.job().queue(), attempt.charges());
    Running started =
        new Running(
            job,
            new World.LiveAttempt(attempt, job.row.job()),
            now,
            now + job.arrival.run(),
            false);
    running.put(place.job(), started);
    ends.add(started);
    if (telling != null) {
      telling.started(job.arrival, job.row.job().id(), now);
    }
    waitingMilli -= job.arrival.gpuMilli();
    usedMilli += job.arrival.gpuMilli();
  }

  private void end(Running ended) {
    Attempt attempt = ended.row.attempt();
    cluster.give(attempt.members(), ended.row.job().queue(), attempt.charges());
    running.remove(ended.row.job().id());
    usedMilli -= ended.job.arrival.gpuMilli();
    if (ended.again) {
      Waiting job = ended.job;
      waiting.put(job.row.job().id(), new Waiting(job.arrival, job.row, job.preemptions + 1));
      waitingMilli += job.arrival.gpuMilli();
      return;
    }
    if (telling != null) {
      telling.ended(ended.job.arrival, ended.row.job(), ended.started, ended.end);
    }
    outcomes.add(new Outcome(ended.job.arrival, ended.started, ended.end, ended.job.preemptions));
  }
}

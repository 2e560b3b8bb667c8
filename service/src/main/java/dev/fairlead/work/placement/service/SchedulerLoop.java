package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.placement.CycleCache;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The scheduler: the holder of the lease reads the snapshot, plans and applies. An unchanged
 * snapshot is not planned again, and without jobs it is read less often. Followers only watch the
 * lease.
 */
@Component
public class SchedulerLoop extends LeasedLoop {
  static final String LEASE = "scheduler";
  private static final Duration IDLE = Duration.ofSeconds(1);

  private final WorldReader worlds;
  private final SchedulingEngine engine;
  private final PlanApplier applier;
  private final ExplanationKeeper explanations;
  private final StartEstimates estimates;
  private final DemandWriter demand;
  private final SchedulerReport report;
  private final PoisonJobs setAside = new PoisonJobs();
  private final CycleCache memory = new CycleCache();
  private final MonotonicClock clock;
  private @Nullable LastPlan last;
  private List<JobId> notReached = List.of();
  private List<Reservation.Key> postponed = List.of();
  private int failedPlans;
  private boolean awaited;

  public SchedulerLoop(
      Leases leases,
      WorldReader worlds,
      SchedulingEngine engine,
      PlanApplier applier,
      ExplanationKeeper explanations,
      StartEstimates estimates,
      DemandWriter demand,
      SchedulerReport report) {
    super(LEASE, "scheduler", IDLE, leases);
    this.clock = leases.clock();
    this.worlds = worlds;
    this.engine = engine;
    this.applier = applier;
    this.explanations = explanations;
    this.estimates = estimates;
    this.demand = demand;
    this.report = report;
  }

  /** Model services change a plan only by their jobs. */
  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return EnumSet.complementOf(EnumSet.of(WakeUps.Topic.SERVICES, WakeUps.Topic.ROUTES));
  }

  @Override
  public boolean awaited() {
    return awaited;
  }

  @Override
  protected boolean turn(HeldLease lease) {
    awaited = false;
    World first = report.read(worlds);
    World world = applier.unplaced(lease, first.volumes()) ? report.read(worlds) : first;
    if (last != null && last.holds(lease, world)) {
      explanations.waiting(lease, world.asOf());
      demand.keep(lease, last.plan());
      if (world.pending().isEmpty() && world.live().isEmpty()) {
        quiet();
      }
      return false;
    }
    last = null;
    Plan plan = report.timed(SchedulerReport.Stage.PLAN, () -> plan(lease, world));
    Applied applied =
        report.timed(
            SchedulerReport.Stage.WRITE, () -> applier.apply(lease, plan, world.volumes()));
    awaited = applied.written() > 0;
    setAside.blame(applied, clock.nanos());
    explanations.keep(lease, plan);
    estimates.keep(lease, world, plan);
    demand.keep(lease, plan);
    report.planned(world, plan);
    notReached = plan.notReached();
    postponed = plan.postponed();
    applied.failWhenNothingWasWritten();
    boolean again = applied.dropped() > 0 || !notReached.isEmpty() || !postponed.isEmpty();
    if (!again && applied.failures().isEmpty()) {
      last = LastPlan.of(lease, world, plan);
    }
    return again;
  }

  private Plan plan(HeldLease lease, World world) {
    LearnedRuntimes runtimes = estimates.runtimes(lease, world);
    SortedMap<AttemptId, Instant> ends = estimates.reportedEnds(world);
    try {
      Plan plan =
          setAside.plan(
              world,
              now ->
                  engine.plan(
                      new Snapshot(
                          now, notReached, postponed, Snapshot.WORK_BUDGET, runtimes, ends),
                      memory),
              clock.nanos());
      failedPlans = 0;
      return plan;
    } catch (RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      if (++failedPlans >= PoisonJobs.TRIES) {
        explanations.keep(lease, PoisonJobs.unplanned(world, failed));
      }
      throw failed;
    }
  }

  @Override
  protected void forget() {
    awaited = false;
    report.forget();
    estimates.forget();
  }
}

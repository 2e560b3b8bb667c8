package dev.fairlead.placement.service;

import dev.fairlead.event.WakeUps;
import dev.fairlead.job.JobId;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.LeaseKeeper;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Loop;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.placement.Memory;
import dev.fairlead.placement.Plan;
import dev.fairlead.placement.SchedulingEngine;
import dev.fairlead.placement.Snapshot;
import dev.fairlead.transaction.FenceLost;
import dev.fairlead.world.WorldReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * The one scheduler: whoever holds the lease reads the world, plans and applies. Followers only
 * watch the lease.
 */
@Component
public class SchedulerLoop implements Loop {
  static final String LEASE = "scheduler";
  private static final Duration IDLE = Duration.ofSeconds(1);

  private final LeaseKeeper keeper;
  private final WorldReader worlds;
  private final SchedulingEngine engine;
  private final PlanApplier applier;
  private final ExplanationKeeper explanations;
  private final DemandKeeper demand;
  private final ContradictionReport contradictions;
  private final SetAside setAside = new SetAside();
  private final Memory memory = new Memory();
  private final MonotonicClock clock;
  private List<JobId> notReached = List.of();

  public SchedulerLoop(
      Leases leases,
      WorldReader worlds,
      SchedulingEngine engine,
      PlanApplier applier,
      ExplanationKeeper explanations,
      DemandKeeper demand,
      ContradictionReport contradictions) {
    this.keeper = leases.keeper(LEASE);
    this.clock = leases.clock();
    this.worlds = worlds;
    this.engine = engine;
    this.applier = applier;
    this.explanations = explanations;
    this.demand = demand;
    this.contradictions = contradictions;
  }

  @Override
  public String name() {
    return "scheduler";
  }

  @Override
  public String role() {
    return "scheduler";
  }

  @Override
  public Duration idle() {
    return keeper.idle(IDLE);
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.values());
  }

  @Override
  public boolean tick() {
    Optional<HeldLease> lease = keeper.tick();
    if (lease.isEmpty()) {
      return false;
    }
    try {
      Plan plan =
          setAside.plan(
              worlds.read(),
              world -> engine.plan(new Snapshot(world, notReached, Snapshot.WORK_BUDGET), memory),
              clock.nanos());
      int dropped = applier.apply(lease.get(), plan);
      explanations.keep(lease.get(), plan);
      demand.keep(lease.get(), plan);
      contradictions.report(plan);
      notReached = plan.notReached();
      return dropped > 0 || !notReached.isEmpty();
    } catch (FenceLost deposed) {
      keeper.lost();
      return false;
    }
  }

  @Override
  public void close() {
    keeper.release();
  }
}

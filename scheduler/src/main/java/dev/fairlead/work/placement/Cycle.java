package dev.fairlead.work.placement;

import dev.fairlead.work.placement.consolidation.QuotaLeftovers;
import dev.fairlead.work.placement.consolidation.ReservedCapacityMigration;
import dev.fairlead.work.placement.elastic.GangRepairs;
import dev.fairlead.work.placement.elastic.Growth;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.world.World;
import java.util.List;

/** One cycle: a list of phases that change a {@link CycleState}, and the resulting plan. */
final class Cycle {
  /**
   * Moves and gangs that lost a node may each spend a tenth of the work budget, because other jobs
   * wait until they are done.
   */
  private static final int MOVES_PART = 10;

  private static final int FAULTS_PART = 10;

  private final CycleState state;
  private final CycleCache cache;
  private final ReservedStarts reservedStarts;
  private final PendingStarts pendingStarts;
  private final Growth growth;
  private final ReservedCapacityMigration movesBack;
  private final List<Phase> phases;

  /** A step of the cycle. It decides about some jobs and records the decisions in the outcome. */
  private interface Phase {
    void run();
  }

  Cycle(Snapshot snapshot, CycleCache cache) {
    this.cache = cache;
    state = CycleState.of(snapshot, cache);
    World world = state.world();
    Reservations reservations = state.reservations();
    Preflights preflights = new Preflights(world);
    reservedStarts = reservedStarts(preflights);
    pendingStarts = new PendingStarts(state, reservedStarts, preflights, state.part(MOVES_PART));
    growth = new Growth(reservations, state.ledger(), state.work(), state.asOf(), state.demand());
    movesBack =
        new ReservedCapacityMigration(
            world,
            reservations,
            state.ledger(),
            state.work(),
            state.part(MOVES_PART),
            state.demand());
    phases =
        List.of(
            new IneligibleJobs(state)::hold,
            () -> reservedStarts.serve(world.reservations(), snapshot.postponed()),
            this::repairGangs,
            pendingStarts::tryNotReached,
            pendingStarts::tryAll,
            () -> new QuotaLeftovers(world, reservations).plan().forEach(state.outcome()::leftover),
            () -> growth.shrink().forEach(state.outcome()::resize),
            this::moveBackAndGrow);
  }

  private ReservedStarts reservedStarts(Preflights preflights) {
    FaultRestart restart =
        new FaultRestart(
            state.reservations().fleet(),
            new ElementPlacer(state.admission(), state.ledger(), state.work()),
            state.work(),
            state.part(FAULTS_PART),
            this::makeRoom);
    /* Jobs with a reservation are tried first in every cycle and have a separate work budget. */
    ElementPlacer first =
        new ElementPlacer(
            state.admission(), state.ledger(), new WorkBudget(state.snapshot().workBudget()));
    return new ReservedStarts(state, first, restart, preflights);
  }

  private boolean makeRoom(PendingJobEntry waiting, int element) {
    return pendingStarts.makeRoom(waiting, element);
  }

  Plan run() {
    phases.forEach(Phase::run);
    World world = state.world();
    Plan plan =
        state
            .outcome()
            .plan(
                world.asOf(),
                Contradictions.of(world, state.admission()),
                state.snapshot().learned())
            .asking(state.queues().demand().byQueue());
    cache.update(state.queues().known(), state.reservations().fleet().cache());
    return plan;
  }

  /**
   * Replaces lost members of running gangs. The other members hold their resources until the
   * replacement joins.
   */
  private void repairGangs() {
    WorkBudget.Part part = state.work().part(state.part(FAULTS_PART));
    new GangRepairs(state.reservations(), state.ledger(), state.work(), state.asOf())
        .plan()
        .forEach(state.outcome()::resize);
    part.end();
  }

  /** Moves jobs back and grows gangs only after every waiting job was tried. */
  private void moveBackAndGrow() {
    if (state.outcome().allReached() && !state.work().spent()) {
      movesBack.plan(reservedStarts::moveBack);
      growth.grow().forEach(state.outcome()::resize);
    }
  }
}

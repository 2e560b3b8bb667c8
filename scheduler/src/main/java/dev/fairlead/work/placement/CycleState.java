package dev.fairlead.work.placement;

import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.backfill.StartTimeEstimator;
import dev.fairlead.work.placement.elastic.PendingDemand;
import dev.fairlead.work.placement.explain.Explainer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.ordering.History;
import dev.fairlead.work.placement.ordering.PendingQueues;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempts;
import dev.fairlead.work.placement.score.DefaultPolicy;
import dev.fairlead.work.world.World;
import java.time.Instant;

/**
 * Capacity, queues and results of one cycle. Its phases share and change them.
 *
 * @param work node evaluations that the cycle may spend
 * @param ledger members that the cycle has placed
 * @param demand waiting jobs, which limit the growth of gangs
 */
record CycleState(
    Snapshot snapshot,
    WorkBudget work,
    Ledger ledger,
    PendingQueues queues,
    Reservations reservations,
    Outcome outcome,
    PendingDemand demand) {
  /** Each kind of estimate may spend a twentieth of the cycle's work budget. */
  private static final int ESTIMATES_PART = 20;

  static CycleState of(Snapshot snapshot, CycleCache cache) {
    World world = snapshot.world();
    WorkBudget work = new WorkBudget(Math.max(1, snapshot.workBudget()));
    Ledger ledger = new Ledger();
    Fleet fleet = Fleet.of(world, cache.clusters());
    DefaultPolicy.on(fleet, world);
    Admission admission = new Admission(world.quotaNodes(), world.quotaUses(), world.asOf());
    History history = new History(admission.tree(), world.pastUses(), world.live(), world.asOf());
    PendingQueues queues = new PendingQueues(world, admission, fleet, history, cache.jobs());
    Reservations reservations =
        new Reservations(fleet, admission, new RunningAttempts(world, fleet));
    Outcome outcome =
        new Outcome(
            new Explainer(reservations, ledger, work, world.asOf()),
            work,
            admission.tree(),
            new StartTimeEstimator(
                reservations,
                ledger,
                part(snapshot, ESTIMATES_PART),
                world.asOf(),
                snapshot.reportedEnds()));
    return new CycleState(
        snapshot, work, ledger, queues, reservations, outcome, new PendingDemand(admission));
  }

  World world() {
    return snapshot.world();
  }

  Instant asOf() {
    return world().asOf();
  }

  Admission admission() {
    return reservations.admission();
  }

  /** Returns a part of the work budget, at least 1. */
  long part(int of) {
    return part(snapshot, of);
  }

  private static long part(Snapshot snapshot, int of) {
    return Math.max(1, snapshot.workBudget() / of);
  }
}

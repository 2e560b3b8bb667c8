package dev.fairlead.work.world.postgres;

import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.ActiveNodes;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.ActiveJobs;
import dev.fairlead.work.job.store.ActiveJobs.ActiveJob;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.world.ActiveWork;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Component;

/** {@link WorldReader} on PostgreSQL: reads everything in one view of the database. */
@Component
class PostgresWorldReader implements WorldReader {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final Bounds bounds;
  private final ActiveJobs activeJobs;
  private final JobStore jobs;
  private final ReservationStore reservations;
  private final ActiveNodes nodes;
  private final HealthTestStore healthTests;
  private final ActiveWork.Reads reads;
  private ActiveWork work = ActiveWork.NONE;

  PostgresWorldReader(
      Transactions transactions,
      InventoryStore inventory,
      Bounds bounds,
      ActiveJobs activeJobs,
      JobStore jobs,
      ReservationStore reservations,
      ActiveNodes nodes,
      HealthTestStore healthTests,
      OutputStore outputs) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.bounds = bounds;
    this.activeJobs = activeJobs;
    this.jobs = jobs;
    this.reservations = reservations;
    this.nodes = nodes;
    this.healthTests = healthTests;
    this.reads = ActiveWork.Reads.of(activeJobs, outputs);
  }

  /** One view after another, because the caches follow them. */
  @Override
  public synchronized World readWith(List<Job> imagined) {
    return transactions.readForAllTenants(() -> view(imagined));
  }

  @Override
  public boolean anyWaits() {
    return activeJobs.anyWaits();
  }

  @Override
  public long lostNotes() {
    return nodes.lostNotes() + activeJobs.lostNotes();
  }

  private World view(List<Job> imagined) {
    Instant now = jobs.now();
    ActiveWork of = work(now, imagined);
    return World.at(now)
        .clusters(inventory.clusters())
        .nodes(nodes.nodes())
        .quotaNodes(bounds.quotas().allNodes())
        .quotaUses(bounds.quotas().allUses())
        .pending(of.pending())
        .live(of.live())
        .reservations(reservations.all())
        .placeFailures(placeFailures(now))
        .movedBack(activeJobs.movedBack())
        .pastUses(bounds.quotas().pastUses())
        .prices(bounds.prices().book())
        .budgets(bounds.budgets().states())
        .licences(bounds.licences().licences())
        .offers(bounds.supplies().offers())
        .advanceReservations(bounds.advanceReservations().open())
        .domainQuarantines(bounds.health().domains())
        .volumes(bounds.volumes().placed())
        .preflights(preflights(of, now))
        .deadElements(of.dead())
        .build();
  }

  private List<PlaceFailure> placeFailures(Instant now) {
    Instant after = now.minus(PlaceFailure.REMEMBERED);
    return PlaceFailure.sinceRelease(
        activeJobs.placeFailures(), failed -> bounds.health().released(failed, after));
  }

  private List<Preflight> preflights(ActiveWork of, Instant now) {
    boolean asked =
        of.pending().stream().anyMatch(waiting -> waiting.job().spec().preflight() != null);
    if (!asked) {
      return List.of();
    }
    Instant after = now.minus(PreflightProgress.REMEMBERED);
    return Preflight.sinceRelease(
        healthTests.preflights(after), failed -> bounds.health().released(failed, after));
  }

  private ActiveWork work(Instant now, List<Job> imagined) {
    List<ActiveJob> stored = activeJobs.active();
    if (imagined.isEmpty()) {
      work = work.at(stored, now, reads);
      return work;
    }
    return ActiveWork.of(stored, imagined, now, reads);
  }
}

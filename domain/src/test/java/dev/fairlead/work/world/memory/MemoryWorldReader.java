package dev.fairlead.work.world.memory;

import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.MemoryActiveJobs;
import dev.fairlead.work.job.memory.MemoryJobStore;
import dev.fairlead.work.job.memory.MemoryReservationStore;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.world.ActiveWork;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import java.util.List;

/** In-memory implementation of {@link WorldReader}. */
public final class MemoryWorldReader implements WorldReader {
  private final MemoryDatabase database;
  private final MemoryInventoryStore inventory;
  private final MemoryQuotaStore quotas;
  private final MemoryJobStore jobs;
  private final MemoryActiveJobs active;
  private final MemoryReservationStore reservations;
  private final PriceStore prices;
  private final BudgetStore budgets;
  private final LicenceStore licences;
  private final SupplyStore supplies;
  private final AdvanceReservationStore advanceReservations;
  private final HealthStore health;
  private final VolumeStore volumes;
  private final HealthTestStore healthTests;
  private final OutputStore outputs;

  public MemoryWorldReader(
      MemoryDatabase database,
      MemoryInventoryStore inventory,
      MemoryQuotaStore quotas,
      MemoryJobStore jobs,
      MemoryReservationStore reservations,
      PriceStore prices,
      BudgetStore budgets,
      LicenceStore licences,
      SupplyStore supplies,
      AdvanceReservationStore advanceReservations,
      HealthStore health,
      VolumeStore volumes,
      HealthTestStore healthTests,
      OutputStore outputs) {
    this.database = database;
    this.inventory = inventory;
    this.quotas = quotas;
    this.jobs = jobs;
    this.active = new MemoryActiveJobs(database, jobs);
    this.reservations = reservations;
    this.prices = prices;
    this.budgets = budgets;
    this.licences = licences;
    this.supplies = supplies;
    this.advanceReservations = advanceReservations;
    this.health = health;
    this.volumes = volumes;
    this.healthTests = healthTests;
    this.outputs = outputs;
  }

  @Override
  public World readWith(List<Job> imagined) {
    return database.read(() -> view(imagined));
  }

  @Override
  public boolean anyWaits() {
    return active.anyWaits();
  }

  private World view(List<Job> imagined) {
    ActiveWork work =
        ActiveWork.of(active.active(), imagined, jobs.now(), ActiveWork.Reads.of(active, outputs));
    return World.at(jobs.now())
        .clusters(inventory.clusters())
        .nodes(inventory.nodes(null))
        .quotaNodes(quotas.allNodes())
        .quotaUses(quotas.allUses())
        .pending(work.pending())
        .live(work.live())
        .reservations(reservations.all())
        .placeFailures(
            PlaceFailure.sinceRelease(
                active.placeFailures(),
                nodes -> health.released(nodes, jobs.now().minus(PlaceFailure.REMEMBERED))))
        .pastUses(quotas.pastUses())
        .prices(prices.book())
        .budgets(budgets.states())
        .licences(licences.licences())
        .movedBack(active.movedBack())
        .offers(supplies.offers())
        .advanceReservations(advanceReservations.open())
        .domainQuarantines(health.domains())
        .volumes(volumes.placed())
        .deadElements(work.dead())
        .preflights(
            Preflight.sinceRelease(
                healthTests.preflights(jobs.now().minus(PreflightProgress.REMEMBERED)),
                nodes -> health.released(nodes, jobs.now().minus(PreflightProgress.REMEMBERED))))
        .build();
  }
}

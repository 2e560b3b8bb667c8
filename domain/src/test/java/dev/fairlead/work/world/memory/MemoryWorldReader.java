package dev.fairlead.work.world.memory;

import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.care.reservation.AdvanceReservationStore;
import dev.fairlead.care.supply.SupplyStore;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.attempt.Preflight;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.memory.MemoryActiveJobs;
import dev.fairlead.work.job.memory.MemoryJobStore;
import dev.fairlead.work.job.memory.MemoryReservationStore;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Twin of {@link WorldReader}. */
public final class MemoryWorldReader implements WorldReader {
  private final MemoryDatabase database;
  private final MemoryInventoryStore inventory;
  private final MemoryQuotaStore quotas;
  private final MemoryJobStore jobs;
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
    return database.read(() ->
        World.at(jobs.now())
            .clusters(inventory.clusters())
            .nodes(inventory.nodes(null))
            .quotaNodes(quotas.allNodes())
            .quotaUses(quotas.allUses())
            .pending(pending(imagined))
            .live(live())
            .reservations(reservations.all())
            .placeFailures(
                PlaceFailure.sinceRelease(
                    new MemoryActiveJobs(database, jobs).placeFailures(),
                    nodes -> health.released(nodes, jobs.now().minus(PlaceFailure.REMEMBERED))))
            .pastUses(quotas.pastUses())
            .prices(prices.book())
            .budgets(budgets.states())
            .licences(licences.licences())
            .movedBack(new MemoryActiveJobs(database, jobs).movedBack())
            .offers(supplies.offers())
            .advanceReservations(advanceReservations.open())
            .domainQuarantines(health.domains())
            .volumes(volumes.placed())
            .deadElements(dead())
            .preflights(
                Preflight.sinceRelease(
                    healthTests.preflights(jobs.now().minus(PreflightProgress.REMEMBERED)),
                    nodes ->
                        health.released(nodes, jobs.now().minus(PreflightProgress.REMEMBERED))))
            .build());
  }

  @Override
  public boolean anyWaits() {
    return new MemoryActiveJobs(database, jobs).anyWaits();
  }

  private List<PendingJob> pending(List<Job> imagined) {
    PendingJobs pending = new PendingJobs(jobs, outputs);
    List<PendingJob> found = new ArrayList<>();
    for (Job job : jobs.active()) {
      pending.of(decided(job)).ifPresent(found::add);
    }
    imagined.forEach(job -> pending.of(job).ifPresent(found::add));
    return found;
  }

  private List<World.DeadElements> dead() {
    PendingJobs pending = new PendingJobs(jobs, outputs);
    return jobs.active().stream().flatMap(job -> pending.dead(decided(job)).stream()).toList();
  }

  private List<World.LiveAttempt> live() {
    SortedMap<JobId, Job> byId = new TreeMap<>();
    jobs.active().forEach(job -> byId.put(job.id(), decided(job)));
    List<World.LiveAttempt> found = new ArrayList<>();
    for (Attempt attempt : jobs.live()) {
      found.add(new World.LiveAttempt(attempt, byId.get(attempt.job())));
    }
    return found;
  }

  private static Job decided(Job job) {
    return job.seenAs(job.spec().decided());
  }
}

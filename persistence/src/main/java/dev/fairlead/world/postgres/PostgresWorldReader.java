package dev.fairlead.world.postgres;

import dev.fairlead.cluster.ActiveNodes;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.job.ActiveJobs;
import dev.fairlead.job.ActiveJobs.ActiveJob;
import dev.fairlead.job.ActiveJobs.NamedRun;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobSpec.Dependency;
import dev.fairlead.job.JobStore;
import dev.fairlead.job.ReservationStore;
import dev.fairlead.quota.QuotaForest;
import dev.fairlead.transaction.Transactions;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import dev.fairlead.world.WorldReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/** {@link WorldReader} on PostgreSQL: everything from one view of the database. */
@Component
class PostgresWorldReader implements WorldReader {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final QuotaForest quotas;
  private final ActiveJobs activeJobs;
  private final JobStore jobs;
  private final ReservationStore reservations;
  private final ActiveNodes nodes;

  PostgresWorldReader(
      Transactions transactions,
      InventoryStore inventory,
      QuotaForest quotas,
      ActiveJobs activeJobs,
      JobStore jobs,
      ReservationStore reservations,
      ActiveNodes nodes) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.quotas = quotas;
    this.activeJobs = activeJobs;
    this.jobs = jobs;
    this.reservations = reservations;
    this.nodes = nodes;
  }

  /** One view after another, as what is kept in memory follows them. */
  @Override
  public synchronized World readWith(List<Job> imagined) {
    return transactions.read(() -> {
      Instant now = jobs.now();
      List<ActiveJob> active = new ArrayList<>(activeJobs.active());
      imagined.forEach(job -> active.add(new ActiveJob(job, List.of(), List.of())));
      return new World(
          now,
          inventory.clusters(),
          nodes.nodes(),
          quotas.allNodes(),
          quotas.allUses(),
          pending(active, now),
          live(active),
          reservations.all(),
          activeJobs.placeFailures(),
          quotas.pastUses());
    });
  }

  private List<PendingJob> pending(List<ActiveJob> active, Instant now) {
    SortedMap<JobId, List<PendingJob.Offer>> offers = new TreeMap<>();
    Set<JobId> needed = new TreeSet<>();
    for (ActiveJob job : active) {
      List<PendingJob.Offer> found = Offers.of(job, now);
      if (!found.isEmpty()) {
        offers.put(job.job().id(), found);
        job.job().spec().dependsOn().stream().map(Dependency::job).forEach(needed::add);
      }
    }
    SortedMap<JobId, NamedRun> runs = new TreeMap<>();
    activeJobs.runs(needed).forEach(run -> runs.put(run.id(), run));
    List<PendingJob> pending = new ArrayList<>();
    for (ActiveJob job : active) {
      List<PendingJob.Offer> found = offers.get(job.job().id());
      if (found != null) {
        pending.add(Dependencies.pending(job.job(), found, runs));
      }
    }
    return pending;
  }

  private static List<World.LiveAttempt> live(List<ActiveJob> active) {
    List<World.LiveAttempt> live = new ArrayList<>();
    for (ActiveJob job : active) {
      for (Attempt attempt : job.live()) {
        live.add(new World.LiveAttempt(attempt, job.job()));
      }
    }
    live.sort(Comparator.comparing(l -> l.attempt().id()));
    return live;
  }
}

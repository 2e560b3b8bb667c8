package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/**
 * Removes clusters without live objects: deletes lease, nodes and credentials. The history of jobs
 * retains the names.
 */
@Service
public class ClusterRemoval {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final JobStore jobs;
  private final JobWriter writer;
  private final LeaseStore leases;
  private final AuditLog audit;
  private final ClusterOccupants occupants;

  ClusterRemoval(
      Transactions transactions,
      InventoryStore inventory,
      JobStore jobs,
      JobWriter writer,
      LeaseStore leases,
      AuditLog audit,
      ClusterOccupants occupants) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.jobs = jobs;
    this.writer = writer;
    this.leases = leases;
    this.audit = audit;
    this.occupants = occupants;
  }

  /**
   * A cluster and its rows.
   *
   * @param frontJobs Jobs of the front cluster that Fairlead runs: their finalizer remains and has
   *     to be removed by hand
   * @param modelServices services of its ModelServices, which continue. The finalizer of a
   *     ModelService remains too
   */
  public record Extent(Cluster cluster, FleetSize size, int frontJobs, int modelServices) {}

  /**
   * Returns the rows that a removal would delete.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public Extent extent(String text) {
    return transactions.read(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      return new Extent(
          cluster,
          inventory.size(cluster.id()),
          occupants.frontJobs(cluster),
          occupants.modelServices(cluster));
    });
  }

  /**
   * Removes the cluster. Ended attempts of a disabled cluster are written off, because no
   * supervisor deletes their pods.
   *
   * @param text id or name
   * @param expected version that the caller has read
   * @param validateOnly rolls everything back
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, IN_USE with the list of occupants
   */
  public void remove(Actor actor, String text, long expected, boolean validateOnly) {
    Permissions.require(actor, "deleteCluster");
    try {
      transactions.runOrTry(validateOnly, () -> removed(actor, text, expected));
    } catch (Conflict raced) {
      throw raced.guard() == Conflict.Guard.VERSION
          ? changed(text)
          : new Refusal(
              ProblemCode.IN_USE, "A job was placed on cluster " + text + " just now. Drain it.");
    }
  }

  /** Removes the fence first, so that the supervisor can no longer report or act. */
  private void removed(Actor actor, String text, long expected) {
    Cluster cluster = FleetNames.cluster(inventory, text);
    leases.remove(ClusterSupervisor.lease(cluster.id()));
    if (cluster.version() != expected) {
      throw changed(cluster.name());
    }
    List<Attempt> attempts = jobs.unretired(cluster.id());
    refuseUnlessEmpty(cluster, attempts);
    writer.write(writtenOff(attempts, actor.name()));
    inventory.remove(cluster);
    if (!jobs.unretired(cluster.id()).isEmpty()) {
      throw new Conflict(Conflict.Guard.REFERENCED, cluster.name());
    }
    TreeMap<String, Object> detail = new TreeMap<>(Map.of("name", cluster.name()));
    audit.append(
        new AuditRecord(actor, "deleteCluster", cluster.id().text(), true, detail)
            .changed(cluster, null));
  }

  private void refuseUnlessEmpty(Cluster cluster, List<Attempt> attempts) {
    ClusterOccupants.Occupants found = occupants.of(cluster, attempts);
    if (!found.kinds().isEmpty()) {
      throw new Refusal(
          ProblemCode.IN_USE,
          "Cluster " + cluster.name() + " cannot be removed while it is in use.",
          found.kinds(),
          found.numbers());
    }
  }

  /** Several attempts of one job follow each other, each from the previous version. */
  private List<Transition> writtenOff(List<Attempt> attempts, String actor) {
    List<JobId> ids = attempts.stream().map(Attempt::job).distinct().sorted().toList();
    SortedMap<JobId, Job> current = new TreeMap<>();
    transactions.forAllTenants(() -> jobs.lock(ids)).forEach(job -> current.put(job.id(), job));
    Instant now = jobs.now();
    List<Transition> chain = new ArrayList<>();
    for (Attempt attempt : attempts) {
      Job job = current.get(attempt.job());
      if (job != null) {
        Transition next = JobTransitions.retire(job, attempt, now, actor);
        chain.add(next);
        current.put(job.id(), next.job());
      }
    }
    return chain;
  }

  private static Refusal changed(String cluster) {
    return Refusal.changed("Cluster " + cluster);
  }
}

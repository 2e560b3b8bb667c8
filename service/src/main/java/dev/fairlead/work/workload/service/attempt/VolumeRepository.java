package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and writes volumes for a supervisor, under its fence. */
public final class VolumeRepository {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeRepository.class);
  private final Transactions transactions;
  private final VolumeStore volumes;
  private final JobStore jobs;
  private final LeaseStore leases;
  private final TenantStore tenants;

  VolumeRepository(
      Transactions transactions,
      VolumeStore volumes,
      JobStore jobs,
      LeaseStore leases,
      TenantStore tenants) {
    this.transactions = transactions;
    this.volumes = volumes;
    this.jobs = jobs;
    this.leases = leases;
    this.tenants = tenants;
  }

  /** Existing volumes of the project that the job mounts, by name. */
  public SortedMap<String, Volume> mounted(Job job) {
    SortedSet<String> names = job.spec().volumeNames();
    SortedMap<String, Volume> found = new TreeMap<>();
    if (!names.isEmpty()) {
      volumes
          .named(job.tenant(), job.project(), names)
          .forEach(volume -> found.put(volume.name(), volume));
    }
    return found;
  }

  /** Returns the job with its volumes replaced by their claims. */
  Job withClaims(Job job) {
    SortedMap<String, Volume> mounted = mounted(job);
    if (mounted.isEmpty()) {
      return job;
    }
    List<VolumeSpec> claims = new ArrayList<>();
    for (VolumeSpec each : job.spec().volumes()) {
      Volume volume = each.volume() == null ? null : mounted.get(each.volume());
      claims.add(
          volume == null
              ? each
              : VolumeSpec.ofClaim(volume.claimName(), each.mountPath(), each.readOnly()));
    }
    return job.seenAs(job.spec().mounting(claims));
  }

  public List<Volume> on(ClusterId cluster) {
    return volumes.on(cluster);
  }

  /** Lost volumes that had a claim on the cluster. */
  public List<Volume> lost(ClusterId cluster) {
    return volumes.lost(cluster);
  }

  /** Volumes on the cluster with a missing claim and a loss confirmed by an operator. */
  public SortedSet<UUID> confirmed(ClusterId cluster) {
    return volumes.confirmed(cluster);
  }

  /** The open circuit breaker of the cluster's volumes. */
  public Optional<VolumeBreaker> breaker(ClusterId cluster) {
    return Optional.ofNullable(volumes.breakers().get(cluster));
  }

  /** Marks these volumes of the cluster, and no others, as missing. */
  public void mark(HeldLease lease, ClusterId cluster, Collection<UUID> missing) {
    transactions.runFenced(lease, () -> volumes.mark(cluster, missing, jobs.now()));
  }

  /** The order for the adapter of the volume's cluster. */
  public VolumeOrder order(HeldLease lease, Project project, Volume volume) {
    return new VolumeOrder(leases.installation(), lease.epoch(), project, volume);
  }

  /** The result is empty if the project does not exist. */
  public Optional<VolumeOrder> order(HeldLease lease, Volume volume) {
    return tenants
        .project(volume.tenant(), volume.project())
        .map(project -> order(lease, project, volume));
  }

  /**
   * Stores the cluster's report of a volume's claim.
   *
   * @return the volume as it is now stored, empty when it changed since it was read, or the cluster
   *     did not report it
   */
  public Optional<Volume> noted(HeldLease lease, Volume seen, VolumeOutcome outcome) {
    try {
      return switch (outcome) {
        case VolumeOutcome.There there -> Optional.of(there(lease, seen, there));
        case VolumeOutcome.Lost lost ->
            Optional.of(
                write(
                    lease,
                    seen,
                    seen.state() == VolumeState.LOST
                        ? List.of()
                        : List.of(seen.lost(lost.message()))));
        case VolumeOutcome.Not not -> Optional.empty();
      };
    } catch (Conflict changed) {
      return Optional.empty();
    }
  }

  /**
   * Stores a problem of a volume's claim without a change of state.
   *
   * @param message for users
   */
  public void says(HeldLease lease, Volume seen, String message) {
    try {
      if (!message.equals(seen.message())) {
        write(lease, seen, List.of(seen.saying(message)));
      }
    } catch (Conflict changed) {
      LOG.debug("volume {} has changed since it was read", seen.name(), changed);
    }
  }

  private Volume there(HeldLease lease, Volume seen, VolumeOutcome.There there) {
    List<Volume> steps = new ArrayList<>();
    Volume now = seen;
    if (now.state() == VolumeState.PLACED) {
      now = now.provisioned(there.uid(), jobs.now());
      steps.add(now);
    }
    if (now.state() == VolumeState.LOST) {
      now = now.found(jobs.now());
      steps.add(now);
    }
    if (now.state() == VolumeState.PROVISIONING && there.bound()) {
      Instant at = jobs.now();
      now = now.bound(at);
      steps.add(now);
    }
    if (!Objects.equals(now.message(), there.message())) {
      now = now.saying(there.message());
      steps.add(now);
    }
    if (now.state() == VolumeState.BOUND && !now.nodeLabels().equals(there.nodeLabels())) {
      now = now.reachedWith(there.nodeLabels());
      steps.add(now);
    }
    return write(lease, seen, steps);
  }

  private Volume write(HeldLease lease, Volume seen, List<Volume> steps) {
    if (steps.isEmpty()) {
      return seen;
    }
    transactions.runFenced(lease, () -> steps.forEach(volumes::update));
    return steps.getLast();
  }
}

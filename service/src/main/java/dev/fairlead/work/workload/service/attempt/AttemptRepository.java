package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.job.FaultReservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.progress.WatchedAttempt;
import dev.fairlead.work.spec.ProgressSpec;
import dev.fairlead.work.workload.Divergence;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrderBuilder;
import dev.fairlead.work.workload.LaunchSecrets;
import dev.fairlead.work.workload.NamespacePlan;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reads and writes attempts for a supervisor, under its fence. An object of a cluster that claims
 * to belong to an attempt of another cluster is a copy or false, and changes nothing. Every
 * decision is made again on the locked rows, so that it cannot overwrite a concurrent cancel or a
 * second supervisor. Changes of many attempts are one commit. A batch with a conflict or an error
 * is repeated one attempt at a time, so that a bad attempt does not delay others.
 */
@Component
public class AttemptRepository {
  private static final Logger LOG = LoggerFactory.getLogger(AttemptRepository.class);
  private static final int BATCH = 100;
  private static final int MOST_ATTEMPTS = 1_000;
  private static final int MOST_HELD_UP = 10_000;
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final TenantStore tenants;
  private final LeaseStore leases;
  private final ReservationStore reservations;
  private final ProjectSecretStore secrets;
  private final VolumeRepository volumes;
  private final ProgressStore progress;
  private final OutputStore outputs;
  private final ConfigStore configuration;
  private final SharedKey key;
  private final MeterRegistry metrics;

  public AttemptRepository(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      TenantStore tenants,
      LeaseStore leases,
      ReservationStore reservations,
      ProjectSecretStore secrets,
      VolumeStore volumes,
      ProgressStore progress,
      OutputStore outputs,
      ConfigStore configuration,
      SharedKey key,
      MeterRegistry metrics) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.tenants = tenants;
    this.leases = leases;
    this.reservations = reservations;
    this.secrets = secrets;
    this.progress = progress;
    this.outputs = outputs;
    this.configuration = configuration;
    this.volumes = new VolumeRepository(transactions, volumes, jobs, leases, tenants);
    this.key = key;
    this.metrics = metrics;
    metrics.timer(Metric.ATTEMPT_START.meter()); // shown before the first one
  }

  /** Settings of the namespaces that differ from the default. */
  public List<NamespacePlan> namespacePlans() {
    return transactions.readForAllTenants(() ->
        tenants.strictProjects().stream()
            .map(project -> new NamespacePlan(project.namespace(), project.egress()))
            .toList());
  }

  /** Reads the stored cases of the cluster, without locks. Other attempts are skipped. */
  public List<AttemptCase> read(ClusterId cluster, Collection<AttemptId> ids) {
    return ids.isEmpty()
        ? List.of()
        : transactions.readForAllTenants(() -> cases(attempts(cluster, ids), jobs::findAll));
  }

  private List<Attempt> attempts(ClusterId cluster, Collection<AttemptId> ids) {
    return jobs.attempts(ids).stream().filter(a -> a.cluster().equals(cluster)).toList();
  }

  /**
   * Writes the decisions on the locked rows.
   *
   * @param cluster only attempts on this cluster are changed
   * @return the changed cases as they are now stored
   * @throws FenceLost when another supervisor acts
   */
  public Map<AttemptId, AttemptCase> change(
      HeldLease lease, ClusterId cluster, List<AttemptCase> seen, AttemptDecision decision) {
    Map<AttemptId, AttemptCase> changed = new TreeMap<>();
    for (int from = 0; from < seen.size(); from += BATCH) {
      List<AttemptCase> part = seen.subList(from, Math.min(from + BATCH, seen.size()));
      try {
        changed.putAll(write(lease, cluster, part, decision));
      } catch (FenceLost deposed) {
        throw deposed;
      } catch (RuntimeException | Error together) {
        FatalErrors.rethrow(together);
        part.forEach(one -> changed.putAll(alone(lease, cluster, one, decision)));
      }
    }
    return changed;
  }

  private Map<AttemptId, AttemptCase> alone(
      HeldLease lease, ClusterId cluster, AttemptCase one, AttemptDecision decision) {
    try {
      return write(lease, cluster, List.of(one), decision);
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (RuntimeException | Error failed) {
      FatalErrors.rethrow(failed);
      LOG.warn("attempt {} could not be changed: {}", one.attempt().id().text(), failed.toString());
      return Map.of();
    }
  }

  private Map<AttemptId, AttemptCase> write(
      HeldLease lease, ClusterId cluster, List<AttemptCase> seen, AttemptDecision decision) {
    Map<AttemptId, AttemptCase> written = written(lease, cluster, seen, decision);
    for (AttemptCase before : seen) {
      AttemptCase after = written.get(before.attempt().id());
      Instant began = after == null ? null : after.attempt().startedAt();
      if (began != null && before.attempt().startedAt() == null) {
        metrics
            .timer(Metric.ATTEMPT_START.meter())
            .record(Duration.between(before.attempt().createdAt(), began));
      }
    }
    return written;
  }

  private Map<AttemptId, AttemptCase> written(
      HeldLease lease, ClusterId cluster, List<AttemptCase> seen, AttemptDecision decision) {
    return transactions.callFenced(
        lease,
        () -> {
          Instant at = jobs.now();
          Map<JobId, Job> current = new HashMap<>();
          List<Transition> transitions = new ArrayList<>();
          List<Reservation> kept = new ArrayList<>();
          List<WatchedAttempt> watched = new ArrayList<>();
          List<AttemptId> seenAgain = new ArrayList<>();
          Map<AttemptId, AttemptCase> changed = new TreeMap<>();
          for (AttemptCase stored : locked(cluster, seen)) {
            Job latest = current.getOrDefault(stored.job().id(), stored.job());
            AttemptCase now = new AttemptCase(stored.attempt(), latest, stored.element());
            Transition transition = decision.on(now, at);
            if (transition != null) {
              transitions.add(transition);
              FaultReservation.of(transition, stored.attempt().state(), at).ifPresent(kept::add);
              current.put(transition.job().id(), transition.job());
              AttemptCase after = now.after(transition);
              watched(stored.attempt(), after).ifPresent(watched::add);
              if (seenAgain(stored.attempt(), after)) {
                seenAgain.add(after.id());
              }
              changed.put(stored.attempt().id(), after);
            }
          }
          writer.write(transitions);
          reservations.put(kept);
          progress.begin(watched);
          progress.countFrom(seenAgain, at);
          return changed;
        });
  }

  /**
   * Locks the jobs of the cases and returns the stored cases by id. A case with the stored version
   * is not read again, because the version guards the job with its elements and attempts.
   */
  private List<AttemptCase> locked(ClusterId cluster, List<AttemptCase> seen) {
    SortedMap<JobId, Long> versions =
        jobs.lockVersions(seen.stream().map(each -> each.job().id()).distinct().toList());
    SortedMap<AttemptId, AttemptCase> stored = new TreeMap<>();
    List<AttemptId> changed = new ArrayList<>();
    for (AttemptCase each : seen) {
      if (versions.getOrDefault(each.job().id(), 0L) != each.job().version()) {
        changed.add(each.id());
      } else if (each.attempt().cluster().equals(cluster)) {
        stored.put(each.id(), each);
      }
    }
    if (!changed.isEmpty()) {
      cases(attempts(cluster, changed), jobs::findAll).forEach(each -> stored.put(each.id(), each));
    }
    return List.copyOf(stored.values());
  }

  /** An attempt with calls that may not have arrived while it was unreachable. */
  private static boolean seenAgain(Attempt before, AttemptCase after) {
    return before.unreachableSince() != null
        && after.attempt().unreachableSince() == null
        && after.job().spec().progress() != null;
  }

  /** The attempt if it begins to run, has a credential for calls, and must report progress. */
  private Optional<WatchedAttempt> watched(Attempt before, AttemptCase after) {
    Attempt attempt = after.attempt();
    ProgressSpec asked = after.job().spec().progress();
    Instant began = attempt.startedAt();
    return asked == null || began == null || before.startedAt() != null || credential(after) == null
        ? Optional.empty()
        : Optional.of(
            new WatchedAttempt(
                attempt.id(),
                attempt.job(),
                after.job().tenant(),
                attempt.cluster(),
                asked.timeout(),
                began,
                null));
  }

  /** The attempt if it has ended on that cluster and was cleaned up. Read under the fence. */
  public Optional<AttemptCase> clearedAway(HeldLease lease, ClusterId cluster, AttemptId id) {
    return transactions.callFenced(
        lease,
        () ->
            cases(attempts(cluster, List.of(id)), jobs::findAll).stream()
                .filter(seen -> seen.attempt().retiredAt() != null)
                .findFirst());
  }

  /**
   * Denials of the case's job or element by clusters, including this cluster.
   *
   * @param kind kind of this denial
   */
  public AdmissionDenials denials(AttemptCase seen, ClusterRefusal kind) {
    AttemptRange range = AttemptRange.of(seen.attempt().element(), MOST_ATTEMPTS);
    return transactions.forAllTenants(
        () -> AdmissionDenials.of(seen.attempt(), kind, jobs.attempts(seen.job().id(), range)));
  }

  /** Tenants and projects of these attempts, for one pass. */
  public Owners owners(Collection<AttemptCase> cases) {
    return Owners.of(tenants, cases);
  }

  /**
   * Builds the launch order of the attempt.
   *
   * @param secrets secrets of the job
   * @param referenced outputs of dependencies of the job
   */
  public LaunchOrder order(
      HeldLease lease,
      AttemptCase seen,
      Owners owners,
      Capabilities capabilities,
      JobSecrets secrets,
      ReferencedOutputs referenced) {
    return LaunchOrderBuilder.builder()
        .installation(leases.installation())
        .epoch(lease.epoch())
        .tenant(owners.tenant(seen))
        .project(owners.project(seen))
        .job(volumes.withClaims(seen.job()))
        .attempt(seen.attempt())
        .capabilities(capabilities)
        .secrets(new LaunchSecrets(secrets.values(), credential(seen), referenced.values()))
        .identity(
            secrets.identity().filter(found -> found.allows(owners.project(seen))).orElse(null))
        .build();
  }

  private @Nullable Secret credential(AttemptCase seen) {
    return !seen.job().spec().calls()
        ? null
        : key.derived(AttemptCredential.PURPOSE)
            .map(derived ->
                new AttemptCredential(seen.job().tenant(), seen.job().id(), seen.attempt().id())
                    .text(derived))
            .orElse(null);
  }

  /**
   * Reads the current secrets and the cloud identity that the job names. Checks sizes before it
   * reads values.
   */
  public JobSecrets secrets(Job job) {
    return JobSecrets.read(secrets, configuration, job);
  }

  /** Reads the outputs of dependencies that the job references. */
  public ReferencedOutputs outputs(Job job) {
    return ReferencedOutputs.read(jobs, outputs, job);
  }

  public VolumeRepository volumes() {
    return volumes;
  }

  public List<ActionRequest> actionable(ClusterId cluster, ActionRequest.Window window) {
    return jobs.actionable(cluster, window);
  }

  /** Attempts of the cluster that are not retired. */
  public List<AttemptId> unretired(ClusterId cluster) {
    return jobs.unretired(cluster).stream().map(Attempt::id).toList();
  }

  /** Ended attempts of the cluster with a stored failure of their cleanup. */
  public List<BlockedCleanup> heldUp(ClusterId cluster) {
    return jobs.heldUp(cluster, MOST_HELD_UP);
  }

  /** Differences between the cluster and the database, by attempt. */
  public List<Divergence> diverging(ClusterId cluster, Map<AttemptId, ObservedWorkload> shown) {
    return transactions.readForAllTenants(() -> {
      List<Attempt> stored = new ArrayList<>(jobs.attempts(shown.keySet()));
      stored.addAll(jobs.unretired(cluster));
      return Divergence.of(cluster, shown, stored);
    });
  }

  /** The database's time. */
  public Instant now() {
    return jobs.now();
  }

  private List<AttemptCase> cases(List<Attempt> attempts, Function<List<JobId>, List<Job>> rows) {
    Map<JobId, Job> byId = new HashMap<>();
    rows.apply(attempts.stream().map(Attempt::job).distinct().toList())
        .forEach(j -> byId.put(j.id(), j));
    List<AttemptCase> cases = new ArrayList<>();
    for (Attempt attempt : attempts) {
      Job job = byId.get(attempt.job());
      if (job != null) {
        JobElement element =
            job.array() == null ? null : jobs.element(job.id(), attempt.element()).orElse(null);
        cases.add(new AttemptCase(attempt, job, element));
      }
    }
    return cases;
  }
}

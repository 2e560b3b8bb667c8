package dev.fairlead.work.raypool.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.spi.PoolMembers;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.raypool.RayPoolPlan;
import dev.fairlead.work.raypool.RayPoolPlan.Cluster;
import dev.fairlead.work.raypool.RayPoolPlan.Driver;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.workload.MemberEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Applies the {@link RayPoolPlan} of each Ray pool: assigns drivers to clusters, and submits and
 * cancels clusters. Only this loop assigns, under its fence, so a cluster never has more drivers
 * than the pool allows, and a cancelled cluster has none.
 */
@Component
public class RayPoolLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(RayPoolLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(2);
  private static final String ACTOR = OwnActor.WARM_POOLS.text();

  private final ConfigStore documents;
  private final TenantStore tenants;
  private final JobStore jobs;
  private final JobWriter writer;
  private final JobReader bodies;
  private final Transactions transactions;
  private final PoolMembers members;

  /** Last refusal of each pool, which is logged once. */
  private final Map<String, String> refusals = new TreeMap<>();

  /** Time since which a cluster has had no drivers. A process counts from its first pass. */
  private final Map<JobId, Instant> idle = new TreeMap<>();

  private final RayDrivers drivers;

  public RayPoolLoop(
      Leases leases,
      ConfigStore documents,
      TenantStore tenants,
      JobStore jobs,
      JobWriter writer,
      JobSubmits submits,
      JobReader bodies,
      Transactions transactions) {
    super("ray-pools", "background", IDLE, leases);
    this.documents = documents;
    this.tenants = tenants;
    this.jobs = jobs;
    this.drivers = new RayDrivers(jobs, transactions);
    this.writer = writer;
    this.bodies = bodies;
    this.transactions = transactions;
    this.members = new PoolMembers(jobs, writer, submits, transactions, RayPoolJob::isCluster);
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.SETTINGS);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    Set<JobId> seen = new TreeSet<>();
    Set<String> pools = new TreeSet<>();
    boolean complete = true;
    for (ConfigDocument<WarmPool> document : documents.all(WarmPool.DOCUMENTS)) {
      WarmPool.Sharing ray = document.value().ray();
      if (ray != null) {
        pools.add(document.name());
        complete &= guarded("Ray pool " + document.name(), () -> tend(lease, document, ray, seen));
      }
    }
    if (complete) {
      idle.keySet().retainAll(seen);
    }
    drivers.retain(pools);
    if (pools.isEmpty()) {
      quiet();
    }
    return false;
  }

  @Override
  protected void forget() {
    refusals.clear();
    idle.clear();
    drivers.forget();
  }

  private void tend(
      HeldLease lease, ConfigDocument<WarmPool> document, WarmPool.Sharing ray, Set<JobId> seen) {
    WarmPool pool = document.value();
    TenantId tenant = Objects.requireNonNull(document.tenant());
    Project project = tenants.projectNamed(tenant, pool.project()).orElse(null);
    if (project == null) {
      return;
    }
    Map<String, JobId> active = members.active(tenant, project, pool.memberNames());
    Map<String, Job> found = members.of(active);
    found.values().forEach(cluster -> seen.add(cluster.id()));
    if (pool.deleting() && found.isEmpty() && drivers.gone(project, document)) {
      transactions.runFenced(lease, () -> documents.remove(document));
      return;
    }
    Actor actor = new Actor(tenant, ACTOR, Role.TENANT_MEMBER);
    JobSpec job = pool.deleting() ? null : read(actor, document);
    Map<JobId, Job> known = drivers.read(project, document, ray);
    RayPoolPlan plan =
        transactions.readForAllTenants(() -> plan(pool, project, job, found, known, ray));
    drivers.assigned(document, plan.assigned().keySet());
    if (pool.deleting()) {
      end(lease, known.keySet());
    } else {
      apply(lease, plan, known);
    }
    members.cancel(lease, plan.cancelled().stream().map(found::get).toList());
    if (job != null) {
      try {
        submit(lease, actor, project, pool, job, active.keySet(), plan.missing());
        String _ = refusals.remove(document.name());
      } catch (Refusal refused) {
        refused(document, refused);
      }
    }
  }

  private @Nullable JobSpec read(Actor actor, ConfigDocument<WarmPool> document) {
    try {
      return bodies.read(actor, document.value().project(), document.value().job());
    } catch (Refusal refused) {
      refused(document, refused);
      return null;
    }
  }

  private void refused(ConfigDocument<WarmPool> document, Refusal refused) {
    String why = String.valueOf(refused.getMessage());
    if (!why.equals(refusals.put(document.name(), why))) {
      LOG.info("rayPool={} cannot submit Ray clusters: {}", document.name(), why);
    }
  }

  private RayPoolPlan plan(
      WarmPool pool,
      Project project,
      @Nullable JobSpec job,
      Map<String, Job> found,
      Map<JobId, Job> known,
      WarmPool.Sharing ray) {
    List<JobId> all = new ArrayList<>(known.keySet());
    found.values().forEach(cluster -> all.add(cluster.id()));
    Map<JobId, List<Attempt>> live =
        jobs.liveAttempts(all).stream().collect(Collectors.groupingBy(Attempt::job));
    List<Driver> inPool =
        known.values().stream()
            .map(each -> drivers.driver(each, live.containsKey(each.id())))
            .toList();
    Set<String> used =
        inPool.stream().map(Driver::cluster).filter(Objects::nonNull).collect(Collectors.toSet());
    List<Cluster> clusters = new ArrayList<>();
    for (int number = 1; number <= WarmPool.MOST_MEMBERS; number++) {
      Job cluster = found.get(WarmPool.clusterName(pool.name(), number));
      if (cluster != null) {
        boolean current = number <= pool.members() && current(cluster, job, project);
        String address = address(cluster, live.getOrDefault(cluster.id(), List.of()));
        boolean unused = idle(cluster, used.contains(cluster.name()), ray);
        clusters.add(new Cluster(cluster.name(), current, address, unused));
      }
    }
    return RayPoolPlan.of(pool, clusters, inPool);
  }

  private static boolean current(Job cluster, @Nullable JobSpec job, Project project) {
    return cluster.state() != JobState.CANCELLING
        && (job == null
            || !PoolMembers.outdated(cluster, RayPoolJob.clusterOf(job, cluster.name()), project));
  }

  private static @Nullable String address(Job cluster, List<Attempt> live) {
    boolean runs =
        cluster.state() == JobState.RUNNING
            && live.size() == 1
            && live.getFirst().state() == AttemptState.RUNNING;
    return runs ? RayPoolJob.address(MemberEnvironment.head(cluster, live.getFirst())) : null;
  }

  private boolean idle(Job cluster, boolean busy, WarmPool.Sharing ray) {
    if (busy) {
      Instant _ = idle.remove(cluster.id());
      return false;
    }
    Instant since = idle.computeIfAbsent(cluster.id(), id -> jobs.now());
    return !jobs.now().isBefore(since.plus(ray.idleAfter()));
  }

  /** Ends the drivers of a deleted pool. These jobs would wait forever. */
  private void end(HeldLease lease, Set<JobId> left) {
    if (!left.isEmpty()) {
      transactions.runFenced(
          lease,
          () -> {
            for (Job job : jobs.lock(left)) {
              boolean live = !jobs.liveAttempts(job.id()).isEmpty();
              JobTransitions.cancel(job, live, jobs.now(), ACTOR)
                  .ifPresent(transition -> writer.write(List.of(transition)));
            }
          });
    }
  }

  private void apply(HeldLease lease, RayPoolPlan plan, Map<JobId, Job> known) {
    List<JobId> changed = new ArrayList<>(plan.assigned().keySet());
    changed.addAll(plan.released());
    changed.addAll(plan.stopped());
    if (!changed.isEmpty()) {
      transactions.runFenced(
          lease,
          () -> {
            for (Job job : jobs.lock(changed)) {
              if (job.version() == Objects.requireNonNull(known.get(job.id())).version()) {
                apply(plan, job);
              }
            }
          });
    }
  }

  private void apply(RayPoolPlan plan, Job job) {
    if (plan.stopped().contains(job.id())) {
      OwnerTransitions.requeue(job, List.of(), jobs.liveAttempts(job.id()), jobs.now(), ACTOR)
          .ifPresent(writer::write);
      return;
    }
    Cluster cluster = plan.assigned().get(job.id());
    String address = cluster == null ? null : cluster.address();
    JobSpec spec =
        cluster == null || address == null
            ? RayPoolJob.waiting(job.spec())
            : RayPoolJob.assigned(job.spec(), cluster.name(), address);
    writer.write(List.of(OwnerTransitions.patch(job, spec, List.of("rayPool"), ACTOR)));
  }

  private void submit(
      HeldLease lease,
      Actor actor,
      Project project,
      WarmPool pool,
      JobSpec job,
      Set<String> active,
      int missing) {
    pool.clusterNames().stream()
        .filter(name -> !active.contains(name))
        .limit(missing)
        .forEach(name -> members.submit(lease, actor, project, RayPoolJob.clusterOf(job, name)));
  }
}

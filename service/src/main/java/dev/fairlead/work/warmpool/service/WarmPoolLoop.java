package dev.fairlead.work.warmpool.service;

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
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.service.spi.PoolMembers;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Fills warm pools: submits missing members, and cancels members that are surplus or have another
 * job than their pool. A member has a name, and names of active jobs are unique, so a pool never
 * gets too many members.
 */
@Component
public class WarmPoolLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(WarmPoolLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(2);

  private final ConfigStore documents;
  private final TenantStore tenants;
  private final JobReader bodies;
  private final Transactions transactions;
  private final PoolMembers members;

  /** Last refusal of each pool, which is logged once. */
  private final Map<String, String> refusals = new TreeMap<>();

  public WarmPoolLoop(
      Leases leases,
      ConfigStore documents,
      TenantStore tenants,
      JobStore jobs,
      JobWriter writer,
      JobSubmits submits,
      JobReader bodies,
      Transactions transactions) {
    super("warm-pools", "background", IDLE, leases);
    this.documents = documents;
    this.tenants = tenants;
    this.bodies = bodies;
    this.transactions = transactions;
    this.members = new PoolMembers(jobs, writer, submits, transactions, WarmMember::is);
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.SETTINGS);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    boolean any = false;
    for (ConfigDocument<WarmPool> document : documents.all(WarmPool.DOCUMENTS)) {
      if (document.value().ray() == null) {
        any = true;
        guarded("warm pool " + document.name(), () -> fill(lease, document));
      }
    }
    if (!any) {
      quiet();
    }
    return false;
  }

  @Override
  protected void forget() {
    refusals.clear();
  }

  private void fill(HeldLease lease, ConfigDocument<WarmPool> document) {
    WarmPool pool = document.value();
    TenantId tenant = Objects.requireNonNull(document.tenant());
    Project project = tenants.projectNamed(tenant, pool.project()).orElse(null);
    if (project == null) {
      return;
    }
    Map<String, JobId> active = members.active(tenant, project, pool.memberNames());
    Map<String, Job> found = members.of(active);
    if (pool.deleting() && found.isEmpty()) {
      transactions.runFenced(lease, () -> documents.remove(document));
      return;
    }
    members.cancel(lease, surplus(pool, found));
    if (pool.members() == 0) {
      String _ = refusals.remove(document.name());
      return;
    }
    Actor actor = new Actor(tenant, OwnActor.WARM_POOLS.text(), Role.TENANT_MEMBER);
    try {
      JobSpec job = bodies.read(actor, project.name(), pool.job());
      members.cancel(lease, outdated(job, pool, project, found));
      for (int number = 1; number <= pool.members(); number++) {
        JobSpec spec = WarmMember.of(job, pool.name(), number);
        if (!active.containsKey(spec.name())) {
          members.submit(lease, actor, project, spec);
        }
      }
      String _ = refusals.remove(document.name());
    } catch (Refusal refused) {
      String why = String.valueOf(refused.getMessage());
      if (!why.equals(refusals.put(document.name(), why))) {
        LOG.info("warmPool={} cannot be filled: {}", document.name(), why);
      }
    }
  }

  /**
   * Returns the members with a number above the size of the pool, whether or not the pool's job can
   * be read.
   */
  private static List<Job> surplus(WarmPool pool, Map<String, Job> members) {
    return IntStream.rangeClosed(pool.members() + 1, WarmPool.MOST_MEMBERS)
        .mapToObj(number -> members.get(WarmMember.name(pool.name(), number)))
        .filter(Objects::nonNull)
        .toList();
  }

  private static List<Job> outdated(
      JobSpec job, WarmPool pool, Project project, Map<String, Job> members) {
    List<Job> outdated = new ArrayList<>();
    for (int number = 1; number <= pool.members(); number++) {
      Job member = members.get(WarmMember.name(pool.name(), number));
      JobSpec wanted = WarmMember.of(job, pool.name(), number);
      if (member != null && PoolMembers.outdated(member, wanted, project)) {
        outdated.add(member);
      }
    }
    return outdated;
  }
}

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
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.service.spi.JobReader;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.warmpool.WarmPool;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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

  /** Delay of the next member after a member ended by itself, for example without its image. */
  static final Duration AGAIN = Duration.ofMinutes(5);

  private final ConfigStore documents;
  private final TenantStore tenants;
  private final JobStore jobs;
  private final JobWriter writer;
  private final JobSubmits submits;
  private final JobReader bodies;
  private final Transactions transactions;

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
    this.jobs = jobs;
    this.writer = writer;
    this.submits = submits;
    this.bodies = bodies;
    this.transactions = transactions;
  }

  @Override
  protected boolean turn(HeldLease lease) {
    for (ConfigDocument<WarmPool> document : documents.all(WarmPool.DOCUMENTS)) {
      guarded("warm pool " + document.name(), () -> fill(lease, document));
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
    Map<String, JobId> active = new TreeMap<>();
    jobs.activeNamed(tenant, project.id(), pool.memberNames())
        .forEach(named -> active.put(named.name(), named.id()));
    Map<String, Job> members = new TreeMap<>();
    List<Job> found =
        active.isEmpty()
            ? List.of()
            : transactions.readForAllTenants(() -> jobs.findAll(active.values()));
    for (Job job : found) {
      if (WarmMember.is(job.spec())) {
        members.put(job.name(), job);
      }
    }
    if (pool.deleting() && members.isEmpty()) {
      transactions.runFenced(lease, () -> documents.remove(document));
      return;
    }
    cancel(lease, surplus(pool, members));
    if (pool.members() == 0) {
      String _ = refusals.remove(document.name());
      return;
    }
    Actor actor = new Actor(tenant, OwnActor.WARM_POOLS.text(), Role.TENANT_MEMBER);
    try {
      JobSpec job = bodies.read(actor, project.name(), pool.job());
      cancel(lease, outdated(job, pool, project, members));
      submit(lease, job, pool, new Place(actor, project, active.keySet()));
      String _ = refusals.remove(document.name());
    } catch (Refusal refused) {
      String why = String.valueOf(refused.getMessage());
      if (!why.equals(refusals.put(document.name(), why))) {
        LOG.info("warmPool={} cannot be filled: {}", document.name(), why);
      }
    }
  }

  /** Members above the number of the pool, whether or not its job can be read. */
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
      if (member != null && outdated(member, WarmMember.of(job, pool.name(), number), project)) {
        outdated.add(member);
      }
    }
    return outdated;
  }

  private void cancel(HeldLease lease, List<Job> wrong) {
    if (!wrong.isEmpty()) {
      Set<JobId> ids = new TreeSet<>();
      wrong.forEach(job -> ids.add(job.id()));
      transactions.runFenced(lease, () -> cancelled(ids));
    }
  }

  private static boolean outdated(Job member, JobSpec wanted, Project project) {
    boolean byDefault = wanted.queue().isEmpty();
    String queue = byDefault ? member.spec().queue() : wanted.queue();
    return member.state() == JobState.SUSPENDED
        || byDefault && !member.queue().value().equals(project.defaultQueue())
        || !member.spec().equals(wanted.named(member.name(), queue));
  }

  /** Cancels members that no submit has taken since they were read. */
  private void cancelled(Set<JobId> wrong) {
    Instant now = jobs.now();
    for (Job job : jobs.lock(wrong)) {
      if (WarmMember.is(job.spec()) && job.state() != JobState.CANCELLING) {
        boolean live = !jobs.liveAttempts(job.id()).isEmpty();
        JobTransitions.cancel(job, live, now, OwnActor.WARM_POOLS.text())
            .ifPresent(transition -> writer.write(List.of(transition)));
      }
    }
  }

  /** Where members are submitted, with the names of members that have not ended. */
  private record Place(Actor actor, Project project, Set<String> active) {}

  private void submit(HeldLease lease, JobSpec job, WarmPool pool, Place place) {
    for (int number = 1; number <= pool.members(); number++) {
      JobSpec spec = WarmMember.of(job, pool.name(), number);
      if (!place.active().contains(spec.name())
          && endedJustNow(jobs, place.project(), spec.name()).isEmpty()) {
        JobSubmits.Prepared prepared =
            submits.prepared(place.actor(), place.project().name(), spec);
        transactions.runFenced(
            lease,
            () -> {
              JobId _ = prepared.submit();
            });
      }
    }
  }

  /** The last member of this name, if it ended by itself so recently that no other follows yet. */
  static Optional<Job> endedJustNow(JobStore jobs, Project project, String name) {
    Instant from = jobs.now().minus(AGAIN);
    return jobs.named(project.tenant(), project.id(), List.of(name)).stream()
        .flatMap(named -> jobs.find(project.tenant(), named.id()).stream())
        .filter(ended -> endedAfter(ended, from))
        .findFirst();
  }

  private static boolean endedAfter(Job job, Instant from) {
    Instant ended = job.run().endedAt();
    return ended != null && ended.isAfter(from) && job.state() != JobState.CANCELLED;
  }
}

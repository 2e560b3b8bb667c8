package dev.fairlead.work.job.service;

import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.people.tenant.OwnActor;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobLifecycle;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobFilterBuilder;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Every five seconds, cancels a bounded number of jobs of tenants that are being archived. Marks a
 * tenant as archived when none of its jobs is active. Its namespaces are then removed from the
 * clusters. Jobs that were submitted during the archiving are cancelled as well.
 */
@Component
public class TenantArchivalLoop extends LeasedLoop {
  /** Actor of its cancellations. */
  static final String ACTOR = OwnActor.ARCHIVE.text();

  private static final Duration IDLE = Duration.ofSeconds(5);

  /**
   * Longer than the server's {@code transaction_timeout} of 60 s, so every submit that read the
   * tenant before its archiving has ended.
   */
  static final Duration LATE_JOBS = Duration.ofSeconds(75);

  private static final int MOST = 500;
  private static final List<JobState> LIVE =
      Stream.of(JobState.values()).filter(state -> !JobLifecycle.TABLE.terminal(state)).toList();

  /** States without a stop order, so that slow stops do not delay other jobs. */
  private static final List<JobState> OPEN =
      LIVE.stream().filter(state -> state != JobState.CANCELLING).toList();

  private final MonotonicClock clock;
  private final TenantStore tenants;
  private final JobStore jobs;
  private final JobWriter writer;
  private final NamespaceRemovalStore removals;
  private final VolumeStore volumes;
  private final Transactions transactions;
  private final Map<TenantId, Long> seenAtNanos = new TreeMap<>();

  public TenantArchivalLoop(
      Leases leases,
      TenantStore tenants,
      JobStore jobs,
      JobWriter writer,
      NamespaceRemovalStore removals,
      VolumeStore volumes,
      Transactions transactions) {
    super("archive", "background", IDLE, leases);
    this.clock = leases.clock();
    this.tenants = tenants;
    this.jobs = jobs;
    this.writer = writer;
    this.removals = removals;
    this.volumes = volumes;
    this.transactions = transactions;
  }

  @Override
  protected boolean turn(HeldLease lease) {
    List<Tenant> archiving =
        tenants.tenants().stream().filter(t -> t.state() == Tenant.State.ARCHIVING).toList();
    seenAtNanos.keySet().retainAll(archiving.stream().map(Tenant::id).toList());
    IndependentSteps steps = new IndependentSteps();
    SortedSet<TenantId> more = new TreeSet<>();
    for (Tenant tenant : archiving) {
      steps.run(() -> {
        if (cancelAll(lease, tenant)) {
          more.add(tenant.id());
        }
      });
    }
    steps.rethrow();
    return !more.isEmpty();
  }

  @Override
  protected void forget() {
    seenAtNanos.clear();
  }

  /** Returns whether more jobs may have to be cancelled immediately. */
  private boolean cancelAll(HeldLease lease, Tenant tenant) {
    long now = clock.nanos();
    long seen = seenAtNanos.computeIfAbsent(tenant.id(), id -> now);
    return transactions.callFenced(
        lease,
        () -> {
          JobSlice page = jobs.list(first(tenant, OPEN, MOST));
          List<Job> open = page.jobs();
          int cancelled = cancel(open);
          boolean late = open.isEmpty() && now - seen >= LATE_JOBS.toNanos();
          /* A claim created during the archiving would be deleted with its namespace. */
          boolean kept = late && !volumes.withClaim(tenant.id()).isEmpty();
          if (late && !kept && jobs.list(first(tenant, LIVE, 1)).jobs().isEmpty()) {
            tenants.update(tenant.in(Tenant.State.ARCHIVED));
            removals.want(tenant.id());
          }
          return cancelled > 0 && page.next() != null;
        });
  }

  private int cancel(List<Job> open) {
    List<JobId> ids = open.stream().map(Job::id).toList();
    Instant now = jobs.now();
    List<Transition> transitions = new ArrayList<>();
    for (Job job : jobs.lock(ids)) {
      boolean running = !jobs.liveAttempts(job.id()).isEmpty();
      JobTransitions.cancel(job, running, now, ACTOR).ifPresent(transitions::add);
    }
    writer.write(transitions);
    return transitions.size();
  }

  private static JobFilter first(Tenant tenant, List<JobState> states, int most) {
    return JobFilterBuilder.builder()
        .tenant(tenant.id())
        .projects(null)
        .states(states)
        .queues(List.of())
        .user(null)
        .name(null)
        .labels(new TreeMap<>())
        .createdAfter(null)
        .createdBefore(null)
        .order(JobFilter.Order.OLDEST)
        .after(null)
        .limit(most)
        .build();
  }
}

package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.memory.MemoryUses;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.event.WakeUps.Topic;
import dev.fairlead.work.event.memory.MemoryEventLog;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.BudgetLedger;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.job.store.QueuePlace;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * In-memory implementation of {@link JobStore}: applies transitions one by one, each behind all
 * guards.
 */
public final class MemoryJobStore implements JobStore {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryInventoryStore inventory;
  private final MemoryQuotaStore quotas;
  private final MemoryEventLog events;
  private final JobTables tables;
  private final AppendGuards guards;
  private final MemoryAllocations allocations;
  private @Nullable MemoryCharges charges;
  private Function<Job, String> projectNames = job -> job.project().text();

  public MemoryJobStore(
      MemoryDatabase database,
      InstantSource clock,
      MemoryInventoryStore inventory,
      MemoryQuotaStore quotas,
      MemoryEventLog events) {
    this(database, clock, inventory, quotas, events, Set.of());
  }

  /** A twin without these guards. */
  public MemoryJobStore(
      MemoryDatabase database,
      InstantSource clock,
      MemoryInventoryStore inventory,
      MemoryQuotaStore quotas,
      MemoryEventLog events,
      Set<AppendGuard> missing) {
    this.database = database;
    this.clock = clock;
    this.inventory = inventory;
    this.quotas = quotas;
    this.events = events;
    this.tables = new JobTables(database);
    this.guards = new AppendGuards(tables, missing);
    this.allocations = new MemoryAllocations(clock, tables, inventory, quotas, guards, missing);
    quotas.referredBy(queue -> tables.jobs().stream().anyMatch(j -> j.queue().equals(queue)));
  }

  @Override
  public void append(List<Transition> transitions) {
    database.run(() -> {
      allocations.depart(transitions);
      transitions.forEach(this::write);
    });
  }

  private void write(Transition transition) {
    AppendGuards.holdingMatches(transition);
    guards.version(transition);
    guards.name(transition);
    guards.terminal(transition);
    Job job = transition.job();
    Attempt attempt = transition.attempt();
    if (attempt != null) {
      Attempt stored = tables.attempt(attempt.id()).orElse(null);
      allocations.change(transition, attempt);
      if (charges != null) {
        charges.change(transition, attempt, stored);
      }
      tables.put(stillRetired(attempt, stored));
    }
    if (transition.concernsAttempts()) {
      database.changed(Topic.ATTEMPTS);
    }
    if (transition.respecified()) {
      tables.patched(job.id(), now());
    }
    tables.put(job);
    transition.elements().forEach(tables::put);
    for (Fact fact : transition.facts()) {
      if (!EventTypes.known().contains(fact.type())) {
        throw new AssertionError("EventTypes does not know " + fact.type());
      }
    }
    events.append(
        transition.facts(),
        MemoryEventLog.Subject.of(
            transition, projectNames.apply(job), id -> inventory.nameOf(id).orElse(null)),
        transition.actor());
    database.changed(Topic.JOBS);
  }

  /** A writer that read the attempt before its retirement does not undo it. */
  private static Attempt stillRetired(Attempt next, @Nullable Attempt stored) {
    return stored == null || stored.retiredAt() == null ? next : next.retired(stored.retiredAt());
  }

  /** From now on, charges budgets and licences with the holds of attempts. */
  public void charging(MemoryUses uses, BudgetStore budgets, LicenceStore licences) {
    BudgetLedger ledger = new BudgetLedger(budgets, quotas);
    charges = new MemoryCharges(inventory, uses, ledger, licences, guards);
  }

  /** Source of project names. */
  public void projectNames(Function<Job, String> names) {
    projectNames = names;
  }

  @Override
  public Optional<Job> find(TenantId tenant, JobId id) {
    return database.call(() -> tables.job(id).filter(j -> j.tenant().equals(tenant)));
  }

  @Override
  public List<Job> lock(Collection<JobId> ids) {
    return database.call(
        () -> new TreeSet<>(ids).stream().map(tables::job).flatMap(Optional::stream).toList());
  }

  @Override
  public SortedMap<JobId, Long> lockVersions(Collection<JobId> ids) {
    SortedMap<JobId, Long> versions = new TreeMap<>();
    lock(ids).forEach(job -> versions.put(job.id(), job.version()));
    return versions;
  }

  @Override
  public List<Job> findAll(Collection<JobId> ids) {
    return lock(ids);
  }

  @Override
  public List<NamedJob> activeNamed(TenantId tenant, ProjectId project, Collection<String> names) {
    return database.call(() ->
        names.stream()
            .flatMap(name -> tables.activeNamed(project, name).stream())
            .map(job -> new NamedJob(job.id(), job.name(), true))
            .toList());
  }

  @Override
  public List<NamedJob> named(TenantId tenant, ProjectId project, Collection<String> names) {
    Set<String> wanted = Set.copyOf(names);
    return database.call(() ->
        tables.jobs().stream()
            .filter(job -> job.tenant().equals(tenant) && job.project().equals(project))
            .filter(job -> wanted.contains(job.name()))
            .sorted(Comparator.comparing(Job::createdAt).thenComparing(Job::id).reversed())
            .map(job -> new NamedJob(job.id(), job.name(), !job.run().ended()))
            .toList());
  }

  @Override
  public SortedMap<String, SortedMap<JobState, Integer>> pipelines(
      TenantId tenant, ProjectId project, String after, int most) {
    List<Job> jobs =
        all().stream()
            .filter(job -> job.tenant().equals(tenant) && job.project().equals(project))
            .toList();
    return JobCounts.labelled(jobs, Pipeline.LABEL, after, most);
  }

  @Override
  public Map<JobId, ProjectId> projects(TenantId tenant, Collection<JobId> ids) {
    Map<JobId, ProjectId> projects = new TreeMap<>();
    database.run(() ->
        ids.stream()
            .flatMap(id -> find(tenant, id).stream())
            .forEach(job -> projects.put(job.id(), job.project())));
    return projects;
  }

  /** Of all tenants. */
  public List<Job> all() {
    return database.call(tables::jobs);
  }

  @Override
  public JobSlice list(JobFilter filter) {
    List<Job> found =
        database.call(() ->
            tables.jobs().stream()
                .filter(job -> JobFilters.matches(filter, job, queueName(job)))
                .sorted(JobFilters.order(filter.order()))
                .limit(filter.limit())
                .toList());
    return JobSlice.of(JobFilters.withinBytes(found), found.size(), filter.limit());
  }

  @Override
  public List<JobCount> count(JobFilter filter, Set<JobCount.Group> by) {
    List<Job> jobs =
        all().stream().filter(job -> JobFilters.matches(filter, job, queueName(job))).toList();
    return JobCounts.by(by, jobs, this::queueName);
  }

  @Override
  public List<JobElement> elements(JobId job, int from, int limit) {
    return database.call(() -> tables.elements(job, from).stream().limit(limit).toList());
  }

  @Override
  public Optional<JobElement> element(JobId job, int index) {
    return database.call(() -> tables.element(job, index));
  }

  @Override
  public List<Attempt> attempts(JobId job, int limit) {
    List<Attempt> all = database.call(() -> tables.attempts(job));
    return all.subList(Math.max(0, all.size() - limit), all.size());
  }

  @Override
  public List<Attempt> attempts(JobId job, AttemptRange range) {
    return database.call(() ->
        tables.attempts(job).stream()
            .filter(a -> range.element() == null || a.element() == range.element())
            .filter(a ->
                a.element() > range.afterElement()
                    || a.element() == range.afterElement() && a.number() > range.afterNumber())
            .limit(range.limit())
            .toList());
  }

  @Override
  public List<Attempt> attempts(Collection<AttemptId> ids) {
    return database.call(
        () -> new TreeSet<>(ids).stream().map(tables::attempt).flatMap(Optional::stream).toList());
  }

  @Override
  public List<AttemptOwner> owners(Collection<AttemptId> ids) {
    return database.call(() ->
        attempts(ids).stream()
            .flatMap(attempt ->
                tables.job(attempt.job()).stream()
                    .map(job ->
                        new AttemptOwner(
                            attempt.id(),
                            attempt.cluster(),
                            job.id(),
                            job.tenant(),
                            job.project())))
            .toList());
  }

  @Override
  public List<Attempt> liveAttempts(Collection<JobId> jobs) {
    return database.call(() ->
        new TreeSet<>(jobs)
            .stream().flatMap(job -> tables.attempts(job).stream()).filter(Attempt::live).toList());
  }

  @Override
  public List<Attempt> latestAttempts(TenantId tenant, Collection<JobId> jobs) {
    return database.call(
        () -> new TreeSet<>(jobs).stream().map(this::latest).flatMap(Optional::stream).toList());
  }

  @Override
  public List<Attempt> lastLiveAttempts(TenantId tenant, Collection<JobId> arrays) {
    return new TreeSet<>(arrays)
        .stream()
            .flatMap(job ->
                liveAttempts(job).stream().max(Comparator.comparing(Attempt::element)).stream())
            .toList();
  }

  private Optional<Attempt> latest(JobId job) {
    return tables.attempts(job).stream()
        .max(Comparator.comparing(Attempt::createdAt).thenComparing(Attempt::id));
  }

  @Override
  public Optional<QueuePlace> queuePlace(JobId job) {
    return database.call(() ->
        tables.job(job).filter(JobFilters::waits).map(j -> JobFilters.place(j, tables.active())));
  }

  @Override
  public List<Attempt> unretired(ClusterId cluster) {
    return database.call(() -> tables.unretired(cluster));
  }

  @Override
  public List<BlockedCleanup> heldUp(ClusterId cluster, int limit) {
    return database.call(() -> {
      Map<AttemptId, BlockedCleanup> newest = new TreeMap<>();
      events.after(EventPosition.START, Integer.MAX_VALUE).stream()
          .filter(event -> event.fact().type().equals(EventTypes.NOT_CLEARED))
          .filter(event -> cluster.text().equals(event.fact().data().get("cluster")))
          .map(MemoryBlockedCleanup::of)
          .forEach(each -> newest.put(each.attempt(), each));
      newest.keySet().retainAll(unretired(cluster).stream().map(Attempt::id).toList());
      return newest.values().stream().limit(limit).toList();
    });
  }

  @Override
  public List<ActionRequest> actionable(ClusterId cluster, ActionRequest.Window window) {
    return database.call(() -> {
      Map<ActionRequest.Kind, Integer> found = new TreeMap<>();
      return unretired(cluster).stream()
          .flatMap(attempt -> request(attempt).stream())
          .filter(r -> isAfter(r.attempt(), window.after().get(r.kind())))
          .filter(r -> found.merge(r.kind(), 1, Integer::sum) <= window.each())
          .toList();
    });
  }

  private static boolean isAfter(AttemptId id, @Nullable AttemptId after) {
    return after == null || id.compareTo(after) > 0;
  }

  private Optional<ActionRequest> request(Attempt attempt) {
    Job job = tables.job(attempt.job()).orElseThrow();
    Optional<ActionRequest.Kind> change =
        changes(attempt, job) ? Optional.of(ActionRequest.Kind.CHANGE) : Optional.empty();
    long version = attempt.live() ? job.version() : 0;
    return ActionRequest.Kind.of(attempt.state())
        .or(() -> change)
        .map(k -> new ActionRequest(attempt.id(), k, attempt.state(), version));
  }

  private boolean changes(Attempt attempt, Job job) {
    return job.state() == JobState.CANCELLING
        || job.state() == JobState.SUSPENDED
        || tables.patchedSince(job.id(), now().minus(PATCHED_LATELY))
        || attempt.members().stream().anyMatch(m -> m.joins() || m.leaves());
  }

  @Override
  public List<GpuHolder> holders(
      TenantId tenant, @Nullable List<ProjectId> projects, Collection<NodeId> nodes) {
    return database.call(() -> {
      List<GpuHolder> holders = new ArrayList<>();
      for (Attempt attempt : tables.unretired().stream().filter(Attempt::live).toList()) {
        Job job = tables.job(attempt.job()).orElseThrow();
        if (job.tenant().equals(tenant) && (projects == null || projects.contains(job.project()))) {
          holders.addAll(GpuHolders.of(job, attempt, nodes));
        }
      }
      holders.sort(GpuHolders.ORDER);
      return List.copyOf(holders);
    });
  }

  @Override
  public List<GpuMember> membersOnGpusOf(NodeId node) {
    return database.call(() ->
        tables.unretired().stream()
            .filter(Attempt::live)
            .flatMap(a ->
                a.members().stream()
                    .filter(m -> !m.gpus().isEmpty() && m.node().equals(node))
                    .sorted(Comparator.comparing(Member::role).thenComparing(Member::index))
                    .map(m -> new GpuMember(a.job(), a.id(), m)))
            .toList());
  }

  @Override
  public Optional<String> dependent(TenantId tenant, JobId job) {
    return database.call(() ->
        tables.active().stream()
            .filter(j -> j.tenant().equals(tenant))
            .filter(j -> j.spec().dependsOn().stream().anyMatch(d -> d.job().equals(job)))
            .map(Job::name)
            .sorted()
            .findFirst());
  }

  @Override
  public List<String> confinedTo(String cluster, int limit) {
    return active().stream()
        .filter(j -> j.spec().placement().clusters().equals(List.of(cluster)))
        .map(Job::name)
        .sorted()
        .limit(limit)
        .toList();
  }

  @Override
  public boolean delete(JobId job) {
    return database.call(() -> {
      Optional<Job> gone =
          tables
              .job(job)
              .filter(j -> j.run().ended())
              .filter(j -> tables.attempts(job).stream().allMatch(a -> a.retiredAt() != null));
      gone.ifPresent(tables::remove);
      return gone.isPresent();
    });
  }

  @Override
  public long queuedCount(TenantId tenant, QuotaNodeId queue, String user, long most) {
    return active().stream()
        .filter(j -> j.state() == JobState.QUEUED && j.tenant().equals(tenant))
        .filter(j -> j.queue().equals(queue) && j.user().equals(user))
        .limit(most)
        .count();
  }

  @Override
  public long activeCountOfTenant(TenantId tenant, long most) {
    return active().stream().filter(j -> j.tenant().equals(tenant)).limit(most).count();
  }

  @Override
  public long activeCount(ProjectId project, long most) {
    return active().stream().filter(j -> j.project().equals(project)).limit(most).count();
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  /** Jobs of all tenants that have not ended, by id. */
  public List<Job> active() {
    return database.call(tables::active);
  }

  /** Live attempts of all jobs, by id. */
  public List<Attempt> live() {
    return database.call(() -> tables.unretired().stream().filter(Attempt::live).toList());
  }

  /**
   * Every attempt that was ever stored, by job, element and number, for the invariants of tests.
   */
  public List<Attempt> everyAttempt() {
    return database.call(() ->
        tables.jobs().stream()
            .sorted(Comparator.comparing(Job::id))
            .flatMap(job -> tables.attempts(job.id()).stream())
            .toList());
  }

  /** By their ends, then ids. */
  List<Attempt> endedAfter(Instant since) {
    return database.read(() -> tables.endedAfter(since));
  }

  private String queueName(Job job) {
    return quotas.node(job.tenant(), job.queue()).map(QuotaNode::name).orElse("");
  }
}

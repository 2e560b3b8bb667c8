package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.RowLevelSecurity;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.postgres.read.AttemptTable;
import dev.fairlead.work.job.postgres.read.JobCounts;
import dev.fairlead.work.job.postgres.read.JobList;
import dev.fairlead.work.job.postgres.read.JobTable;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobSlice;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.NamedJob;
import dev.fairlead.work.job.store.QueuePlace;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** {@link JobStore} on PostgreSQL. {@link Append} does the writes. */
@Component
class PostgresJobStore implements JobStore {
  private final Transactions transactions;
  private final RowLevelSecurity security;
  private final Append append;
  private final JobTable jobs;
  private final JobList lists;
  private final JobCounts counts;
  private final AttemptTable attempts;

  PostgresJobStore(
      Transactions transactions,
      RowLevelSecurity security,
      Append append,
      JobTable jobs,
      JobList lists,
      JobCounts counts,
      AttemptTable attempts) {
    this.transactions = transactions;
    this.security = security;
    this.append = append;
    this.jobs = jobs;
    this.lists = lists;
    this.counts = counts;
    this.attempts = attempts;
  }

  @Override
  public void append(List<Transition> transitions) {
    if (transitions.isEmpty()) {
      return;
    }
    transactions.run(() -> {
      if (changesTheFleet(transitions)) {
        boolean _ = transactions.forAllTenants(() -> append.write(transitions));
      } else {
        security.setTenant(transitions.getFirst().job().tenant().value());
        append.write(transitions);
      }
    });
  }

  /**
   * The role of a tenant cannot read rows of nodes and GPUs, and a transaction cannot read rows of
   * a second tenant.
   */
  private static boolean changesTheFleet(List<Transition> transitions) {
    TenantId tenant = transitions.getFirst().job().tenant();
    return transitions.stream()
        .anyMatch(t ->
            t.holding() != Transition.AllocationChange.KEEP || !t.job().tenant().equals(tenant));
  }

  @Override
  public Optional<Job> find(TenantId tenant, JobId id) {
    return transactions.inTenant(tenant, () -> jobs.find(tenant, id));
  }

  @Override
  public List<Job> lock(Collection<JobId> ids) {
    return jobs.lock(ids);
  }

  @Override
  public SortedMap<JobId, Long> lockVersions(Collection<JobId> ids) {
    return jobs.lockVersions(ids);
  }

  @Override
  public List<Job> findAll(Collection<JobId> ids) {
    return jobs.findAll(ids);
  }

  @Override
  public List<NamedJob> activeNamed(TenantId tenant, ProjectId project, Collection<String> names) {
    return transactions.inTenant(tenant, () -> jobs.activeNamed(project, names));
  }

  @Override
  public List<NamedJob> named(TenantId tenant, ProjectId project, Collection<String> names) {
    return transactions.inTenant(tenant, () -> jobs.named(tenant, project, names));
  }

  @Override
  public SortedMap<String, SortedMap<JobState, Integer>> pipelines(
      TenantId tenant, ProjectId project, String after, int most) {
    return transactions.inTenant(tenant, () -> jobs.pipelines(tenant, project, after, most));
  }

  @Override
  public Map<JobId, ProjectId> projects(TenantId tenant, Collection<JobId> ids) {
    return transactions.inTenant(tenant, () -> jobs.projects(tenant, ids));
  }

  @Override
  public JobSlice list(JobFilter filter) {
    return transactions.inTenant(filter.tenant(), () -> lists.list(filter));
  }

  @Override
  public List<JobCount> count(JobFilter filter, Set<JobCount.Group> by) {
    return transactions.inTenant(filter.tenant(), () -> counts.count(filter, by));
  }

  @Override
  public List<JobElement> elements(JobId job, int from, int limit) {
    return jobs.elements(job, from, limit);
  }

  @Override
  public Optional<JobElement> element(JobId job, int index) {
    return jobs.elements(job, index, 1).stream().filter(e -> e.index() == index).findFirst();
  }

  @Override
  public List<Attempt> attempts(JobId job, int limit) {
    return attempts.of(job, limit);
  }

  @Override
  public List<Attempt> attempts(JobId job, AttemptRange range) {
    return attempts.of(job, range);
  }

  @Override
  public List<Attempt> attempts(Collection<AttemptId> ids) {
    return attempts.byId(ids);
  }

  @Override
  public List<AttemptOwner> owners(Collection<AttemptId> ids) {
    return attempts.owners(ids);
  }

  @Override
  public List<Attempt> liveAttempts(Collection<JobId> jobs) {
    return attempts.live(jobs);
  }

  @Override
  public List<Attempt> latestAttempts(TenantId tenant, Collection<JobId> ids) {
    return transactions.inTenant(tenant, () -> attempts.latest(ids));
  }

  @Override
  public List<Attempt> lastLiveAttempts(TenantId tenant, Collection<JobId> arrays) {
    return transactions.inTenant(tenant, () -> attempts.lastLive(arrays));
  }

  @Override
  public Optional<QueuePlace> queuePlace(JobId job) {
    return jobs.queuePlace(job);
  }

  @Override
  public List<Attempt> unretired(ClusterId cluster) {
    return transactions.forAllTenants(() -> attempts.unretired(cluster));
  }

  @Override
  public List<BlockedCleanup> heldUp(ClusterId cluster, int limit) {
    return transactions.forAllTenants(() -> attempts.heldUp(cluster, limit));
  }

  @Override
  public List<GpuHolder> holders(
      TenantId tenant, @Nullable List<ProjectId> projects, Collection<NodeId> nodes) {
    return transactions.inTenant(tenant, () -> attempts.holders(tenant, projects, nodes));
  }

  @Override
  public List<GpuMember> membersOnGpusOf(NodeId node) {
    return transactions.forAllTenants(() -> attempts.membersOnGpusOf(node));
  }

  @Override
  public List<ActionRequest> actionable(ClusterId cluster, ActionRequest.Window window) {
    return transactions.forAllTenants(() -> attempts.actionable(cluster, window));
  }

  @Override
  public Optional<String> dependent(TenantId tenant, JobId job) {
    return transactions.inTenant(tenant, () -> jobs.dependent(tenant, job));
  }

  @Override
  public List<String> confinedTo(String cluster, int limit) {
    return transactions.forAllTenants(() -> jobs.confinedTo(cluster, limit));
  }

  @Override
  public boolean delete(JobId job) {
    return jobs.delete(job);
  }

  @Override
  public long queuedCount(TenantId tenant, QuotaNodeId queue, String user, long most) {
    return transactions.inTenant(tenant, () -> jobs.queuedCount(tenant, queue, user, most));
  }

  @Override
  public long activeCountOfTenant(TenantId tenant, long most) {
    return transactions.inTenant(tenant, () -> jobs.activeCountOfTenant(tenant, most));
  }

  @Override
  public long activeCount(ProjectId project, long most) {
    return jobs.activeCount(project, most);
  }

  @Override
  public Instant now() {
    return jobs.now();
  }
}

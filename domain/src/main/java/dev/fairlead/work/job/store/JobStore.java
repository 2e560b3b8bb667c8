package dev.fairlead.work.job.store;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.BlockedCleanup;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobLifecycle;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Jobs, their elements and attempts. {@link #append} is the only writer of their states. */
public interface JobStore {
  /**
   * Writes the transitions in one transaction (the open one, or its own): rows guarded by version,
   * facts appended to the event log, allocations and quota taken or released. A batch is the
   * primitive. Writes all rows or none.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION, NAME_TAKEN, LIVE_ATTEMPT, QUOTA,
   *     NODE_ROOM or GPU_SLOT. Subject is the job's id text
   */
  void append(List<Transition> transitions);

  Optional<Job> find(TenantId tenant, JobId id);

  /**
   * Used by loops, which act for all tenants. Locks the rows in id order when a transaction is
   * open.
   */
  List<Job> lock(Collection<JobId> ids);

  /**
   * Locks the rows like {@link #lock} and returns only their versions. The version of a job guards
   * its elements, attempts and members too.
   */
  SortedMap<JobId, Long> lockVersions(Collection<JobId> ids);

  /** Used by loops, which act for all tenants. Ordered by id, without locks. */
  List<Job> findAll(Collection<JobId> ids);

  /**
   * Number of ended jobs of one name that {@link #named} returns from each of table and archive.
   */
  int MOST_OF_A_NAME = 3;

  /** Active jobs of the project with these names. */
  List<NamedJob> activeNamed(TenantId tenant, ProjectId project, Collection<String> names);

  /**
   * Jobs of the project with these names, including archived ones: the active job, and at least
   * {@value #MOST_OF_A_NAME} ended jobs if there are as many, newest first.
   */
  List<NamedJob> named(TenantId tenant, ProjectId project, Collection<String> names);

  /**
   * Number of jobs of the project in each state, archived ones too, by the value of the label
   * {@value Pipeline#LABEL}. Counts the newest 10,000 jobs of a value.
   *
   * @param after value before the first, empty for the first page. An empty value is not listed
   * @param most maximum number of values, at least 1
   */
  SortedMap<String, SortedMap<JobState, Integer>> pipelines(
      TenantId tenant, ProjectId project, String after, int most);

  /** The projects of these jobs. Jobs of other tenants are omitted. */
  Map<JobId, ProjectId> projects(TenantId tenant, Collection<JobId> ids);

  JobSlice list(JobFilter filter);

  /**
   * Jobs of the project with this label that have not ended, oldest first. The limit of active jobs
   * of a project bounds them.
   */
  default List<Job> activeLabelled(TenantId tenant, ProjectId project, String label, String value) {
    JobFilter filter =
        activeJobs(tenant, project, label, value)
            .withOrder(JobFilter.Order.OLDEST)
            .withLimit(JobFilter.MOST);
    JobSlice slice = list(filter);
    List<Job> found = new ArrayList<>(slice.jobs());
    for (JobFilter.Cursor next = slice.next(); next != null; next = slice.next()) {
      slice = list(filter.behind(next));
      found.addAll(slice.jobs());
    }
    return found;
  }

  /** Number of the jobs of {@link #activeLabelled}, without a read of the jobs. */
  default int countActiveLabelled(TenantId tenant, ProjectId project, String label, String value) {
    long active =
        count(activeJobs(tenant, project, label, value), Set.of(JobCount.Group.STATE)).stream()
            .mapToLong(JobCount::jobs)
            .sum();
    return Math.toIntExact(active);
  }

  private static JobFilter activeJobs(
      TenantId tenant, ProjectId project, String label, String value) {
    return JobFilter.of(tenant, project)
        .labelled(new TreeMap<>(Map.of(label, value)))
        .withStates(
            Arrays.stream(JobState.values())
                .filter(state -> !JobLifecycle.TABLE.terminal(state))
                .toList());
  }

  /**
   * Number of jobs in each group. Order and page of the filter play no part.
   *
   * @param by at least one
   * @return by the values of the groups in their order. Groups without jobs are omitted
   */
  List<JobCount> count(JobFilter filter, Set<JobCount.Group> by);

  /** Rows of elements that started, by index. At most {@code limit} from {@code from} on. */
  List<JobElement> elements(JobId job, int from, int limit);

  Optional<JobElement> element(JobId job, int index);

  /** All attempts of the job by element and number. At most {@code limit}, newest last. */
  List<Attempt> attempts(JobId job, int limit);

  /** Lists attempts by element and number. */
  List<Attempt> attempts(JobId job, AttemptRange range);

  List<Attempt> attempts(Collection<AttemptId> ids);

  record AttemptOwner(
      AttemptId attempt, ClusterId cluster, JobId job, TenantId tenant, ProjectId project) {}

  /** Returns the owners of attempts by id, without archived attempts. For loops. */
  List<AttemptOwner> owners(Collection<AttemptId> ids);

  default List<Attempt> liveAttempts(JobId job) {
    return liveAttempts(List.of(job));
  }

  /** Live attempts of any of the jobs, in one query. */
  List<Attempt> liveAttempts(Collection<JobId> jobs);

  /**
   * The newest attempt of each of the jobs (of an array: of any element). Jobs without such an
   * attempt are omitted. All belong to the tenant.
   */
  List<Attempt> latestAttempts(TenantId tenant, Collection<JobId> jobs);

  /**
   * Returns, for each array, the live attempt of its last element that has one, without a read of
   * the other elements. Arrays without such an attempt are omitted. All belong to the tenant.
   */
  List<Attempt> lastLiveAttempts(TenantId tenant, Collection<JobId> arrays);

  /** Position of a waiting job in its queue, empty when it does not wait. */
  Optional<QueuePlace> queuePlace(JobId job);

  /**
   * Attempts of the cluster that a supervisor must still look after: live, or ended and not
   * retired. By id.
   */
  List<Attempt> unretired(ClusterId cluster);

  /**
   * The attempts of {@link #unretired} that have ended and have a stored report of remaining
   * objects on the cluster. By id. Among the newest {@code limit} times that this was stored.
   * Entries stored longer ago than two days may be omitted.
   */
  List<BlockedCleanup> heldUp(ClusterId cluster, int limit);

  /** Time for which a patch of its job requests a check of an attempt. */
  Duration PATCHED_LATELY = Duration.ofMinutes(5);

  /** The attempts of {@link #unretired} with a due action, by id. At most one request for each. */
  List<ActionRequest> actionable(ClusterId cluster, ActionRequest.Window window);

  /**
   * Names of active jobs of all tenants that name only this cluster. In order.
   *
   * @param limit most names, from 1
   */
  List<String> confinedTo(String cluster, int limit);

  /**
   * Members of the tenant that hold GPUs of the nodes. Ordered by node, GPU and attempt.
   *
   * @param projects only jobs of these projects, null for the whole tenant
   */
  List<GpuHolder> holders(
      TenantId tenant, @Nullable List<ProjectId> projects, Collection<NodeId> nodes);

  /** A member that holds GPUs, with its attempt and job. */
  record GpuMember(JobId job, AttemptId attempt, Member member) {}

  /**
   * Returns the members that hold GPUs of the node, by attempt, role and index. Monitors use this
   * method. The other members of their attempts are not read.
   */
  List<GpuMember> membersOnGpusOf(NodeId node);

  /** Name of an active job of the tenant that depends on this one. The first by name. */
  Optional<String> dependent(TenantId tenant, JobId job);

  /**
   * Removes a job with its elements, attempts and labels. Its events stay.
   *
   * @return false if it does not exist, it has not ended, or an attempt of it is not retired
   */
  boolean delete(JobId job);

  /**
   * Jobs not ended, in the project.
   *
   * @param most limit of the count, which bounds its cost
   */
  long activeCount(ProjectId project, long most);

  /**
   * Jobs of the user that wait in the queue, each array as one.
   *
   * @param most limit of the count, which bounds its cost
   */
  long queuedCount(TenantId tenant, QuotaNodeId queue, String user, long most);

  /**
   * Jobs not ended, in all projects of the tenant.
   *
   * @param most limit of the count, which bounds its cost
   */
  long activeCountOfTenant(TenantId tenant, long most);

  /** Time of the store's clock, the clock of durable deadlines. */
  Instant now();
}

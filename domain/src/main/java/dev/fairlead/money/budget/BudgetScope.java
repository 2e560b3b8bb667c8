package dev.fairlead.money.budget;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a budget counts: jobs of a tenant that match every given part.
 *
 * @param project null for all projects
 * @param queue null for all queues
 * @param user null for all users
 * @param labels for a budget its one label, empty for all jobs. For a job its labels at the start
 */
public record BudgetScope(
    TenantId tenant,
    @Nullable ProjectId project,
    @Nullable QuotaNodeId queue,
    @Nullable String user,
    SortedMap<String, String> labels) {
  /** Each of the three parts is optional. */
  private static final int SCOPES = 8;

  public BudgetScope {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** For jobs with any labels. */
  public BudgetScope(
      TenantId tenant,
      @Nullable ProjectId project,
      @Nullable QuotaNodeId queue,
      @Nullable String user) {
    this(tenant, project, queue, user, Collections.emptySortedMap());
  }

  /** Returns whether the scope counts jobs by a label. */
  public boolean byLabel() {
    return !labels.isEmpty();
  }

  /** Returns whether jobs of the given scope, which names every part, belong to this scope. */
  public boolean covers(BudgetScope job) {
    return tenant.equals(job.tenant)
        && (project == null || project.equals(job.project))
        && (queue == null || queue.equals(job.queue))
        && (user == null || user.equals(job.user))
        && job.labels.entrySet().containsAll(labels.entrySet());
  }

  /** The eight scopes without a label that cover it, when it names every part. */
  public List<BudgetScope> covering() {
    List<BudgetScope> scopes = new ArrayList<>();
    for (int left = 0; left < SCOPES; left++) {
      scopes.add(
          new BudgetScope(
              tenant,
              (left & 1) == 0 ? project : null,
              (left & 2) == 0 ? queue : null,
              (left & 4) == 0 ? user : null));
    }
    return scopes;
  }
}

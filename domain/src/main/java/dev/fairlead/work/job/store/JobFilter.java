package dev.fairlead.work.job.store;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Selection and order of jobs. Values of a list are combined by OR, and different fields by AND.
 * Null or empty matches any.
 *
 * @param projects null for all of the tenant
 * @param createdAfter exclusive
 * @param createdBefore exclusive
 * @param after continue behind this job, null for the first page
 * @param limit 1..500
 */
@RecordBuilder
public record JobFilter(
    TenantId tenant,
    @Nullable List<ProjectId> projects,
    List<JobState> states,
    List<String> queues,
    @Nullable String user,
    @Nullable Name name,
    SortedMap<String, String> labels,
    @Nullable Instant createdAfter,
    @Nullable Instant createdBefore,
    Order order,
    @Nullable Cursor after,
    int limit)
    implements JobFilterBuilder.With {
  /** Maximum size of a page. */
  static final int MOST = 500;

  /** Orders of a list. Each is served by an index. */
  public enum Order {
    /** Ordered by creation, newest first. */
    NEWEST,
    /** Ordered by creation, oldest first. */
    OLDEST,
    /** Orders jobs as queues do: highest priority first, then oldest. */
    PRIORITY,
    /** Ordered by name, then by creation. */
    NAME
  }

  /**
   * Names of jobs.
   *
   * @param text a whole name, or a part of it
   * @param part whether names that contain the text match
   */
  public record Name(String text, boolean part) {
    public static Name whole(String text) {
      return new Name(text, false);
    }

    public static Name part(String text) {
      return new Name(text, true);
    }
  }

  /** End position of a page, with the sort keys of every order. */
  public record Cursor(Instant createdAt, JobId id, int priority, String name) {
    public static Cursor of(Job job) {
      return new Cursor(job.createdAt(), job.id(), job.priority(), job.name());
    }
  }

  public JobFilter {
    projects = projects == null ? null : List.copyOf(projects);
    states = List.copyOf(states);
    queues = List.copyOf(queues);
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** All jobs of one project, first page. */
  public static JobFilter of(TenantId tenant, ProjectId project) {
    return JobFilterBuilder.builder()
        .tenant(tenant)
        .projects(List.of(project))
        .states(List.of())
        .queues(List.of())
        .user(null)
        .name(null)
        .labels(Collections.emptySortedMap())
        .createdAfter(null)
        .createdBefore(null)
        .order(Order.NEWEST)
        .after(null)
        .limit(1)
        .build();
  }

  /**
   * The newest jobs in all states.
   *
   * @param projects null for all of the tenant
   * @param after null for the first page
   * @param limit 1..500
   */
  public static JobFilter newest(
      TenantId tenant, @Nullable List<ProjectId> projects, @Nullable Cursor after, int limit) {
    return JobFilterBuilder.builder()
        .tenant(tenant)
        .projects(projects)
        .states(List.of())
        .queues(List.of())
        .user(null)
        .name(null)
        .labels(Collections.emptySortedMap())
        .createdAfter(null)
        .createdBefore(null)
        .order(Order.NEWEST)
        .after(after)
        .limit(limit)
        .build();
  }

  /** Returns the page after this position. */
  public JobFilter behind(Cursor place) {
    return withAfter(place);
  }

  /** Returns the filter with these labels instead of its own. */
  public JobFilter labelled(SortedMap<String, String> wanted) {
    return withLabels(wanted);
  }

  public JobFilter of(String submitter) {
    return withUser(submitter);
  }
}

package dev.fairlead.work.job.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.store.JobFilterBuilder;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The filter of a job list as requested.
 *
 * @param projects names of projects, null for all projects of the tenant
 */
@RecordBuilder
record JobFilters(
    @Nullable List<ProjectId> projects,
    List<JobState> states,
    List<String> queues,
    @Nullable String user,
    JobFilter.@Nullable Name name,
    SortedMap<String, String> labels,
    Created created,
    JobFilter.Order order) {
  private static final SortedMap<String, JobFilter.Order> ORDERS = new TreeMap<>();

  private static final Pattern PART = Pattern.compile("[-a-z0-9]{1,40}");

  static {
    ORDERS.put("-createdAt", JobFilter.Order.NEWEST);
    ORDERS.put("createdAt", JobFilter.Order.OLDEST);
    ORDERS.put("-priority", JobFilter.Order.PRIORITY);
    ORDERS.put("name", JobFilter.Order.NAME);
  }

  /** Bounds of the creation time, as times or durations before now, or null without a bound. */
  record Created(@Nullable String after, @Nullable String before) {}

  /** Returns the order of a name, and refuses every other name. */
  static JobFilter.Order order(String given) {
    JobFilter.Order order = ORDERS.get(given);
    if (order == null) {
      throw Parameters.refused("orderBy", "must be one of " + String.join(", ", ORDERS.keySet()));
    }
    return order;
  }

  /**
   * Filters jobs by their whole name or a part of it.
   *
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_PARAMETER for both, and for a part that no
   *     name can contain
   */
  static JobFilter.@Nullable Name name(@Nullable String whole, @Nullable String part) {
    if (part == null) {
      return whole == null ? null : JobFilter.Name.whole(whole);
    }
    if (whole != null) {
      throw Parameters.refused("nameContains", "cannot be combined with name. Remove one of them");
    }
    if (!PART.matcher(part).matches()) {
      throw Parameters.refused(
          "nameContains", "must be 1 to 40 characters a-z, 0-9 or -, as in job names");
    }
    return JobFilter.Name.part(part);
  }

  /** Reads labels of the form {@code key=value}, and refuses a repeated key. */
  static SortedMap<String, String> labels(List<String> given) {
    SortedMap<String, String> labels = new TreeMap<>();
    for (String text : given) {
      int equals = text.indexOf('=');
      if (equals < 1) {
        throw Parameters.refused("label", "must be key=value, with = written as %3D");
      }
      if (labels.put(text.substring(0, equals), text.substring(equals + 1)) != null) {
        throw Parameters.refused("label", "names a key twice");
      }
    }
    return labels;
  }

  static List<JobState> states(List<String> given) {
    return given.stream()
        .map(text -> Parameters.choice("state", JobState.class, text))
        .distinct()
        .toList();
  }

  /** Returns the same text for equal filters, so that a page token can be bound to its filter. */
  String text() {
    return "jobs " + projects + states + queues + user + name + labels + created + order;
  }

  JobFilter toFilter(TenantId tenant, JobFilter.@Nullable Cursor after, int limit, Instant now) {
    return JobFilterBuilder.builder()
        .tenant(tenant)
        .projects(projects)
        .states(states)
        .queues(queues)
        .user(user)
        .name(name)
        .labels(labels)
        .createdAfter(Parameters.since("createdAfter", created.after(), now))
        .createdBefore(Parameters.since("createdBefore", created.before(), now))
        .order(order)
        .after(after)
        .limit(limit)
        .build();
  }

  /** The end of a page as text for a token. */
  static String position(JobFilter.Cursor cursor) {
    return cursor.createdAt()
        + " "
        + cursor.id().text()
        + " "
        + cursor.priority()
        + " "
        + cursor.name();
  }

  /** Reads {@link #position}. Any exception means that the text is not a position. */
  static JobFilter.Cursor cursor(String position) {
    String[] parts = position.split(" ", 4);
    return new JobFilter.Cursor(
        Instant.parse(parts[0]),
        new JobId(IdText.decode(IdKind.JOB, parts[1]).orElseThrow()),
        Integer.parseInt(parts[2]),
        parts[3]);
  }
}

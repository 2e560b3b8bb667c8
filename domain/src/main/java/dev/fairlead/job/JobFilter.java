package dev.fairlead.job;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs, newest first. Lists are OR, different fields are AND; null or empty = any.
 *
 * @param after continue behind this job (keyset: created, id), null for the first page
 * @param limit 1..500
 */
public record JobFilter(
    TenantId tenant,
    @Nullable ProjectId project,
    List<JobState> states,
    List<String> queues,
    @Nullable String user,
    @Nullable String name,
    SortedMap<String, String> labels,
    @Nullable Instant createdAfter,
    @Nullable Mark after,
    int limit) {
  /** Where a page ended. */
  public record Mark(Instant createdAt, JobId id) {}

  public JobFilter {
    states = List.copyOf(states);
    queues = List.copyOf(queues);
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }
}

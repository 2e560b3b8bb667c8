package dev.fairlead.work.job;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Job filters for tests: everything of the world's tenant unless narrowed. */
public final class Filters {
  private final TestWorld world;
  private @Nullable List<ProjectId> projects;
  private List<JobState> states = List.of();
  private List<String> queues = List.of();
  private @Nullable String user;
  private JobFilter.@Nullable Name name;
  private final SortedMap<String, String> labels = new TreeMap<>();
  private @Nullable Instant createdAfter;
  private @Nullable Instant createdBefore;
  private JobFilter.@Nullable Cursor after;
  private JobFilter.Order order = JobFilter.Order.NEWEST;
  private int limit = 100;

  private Filters(TestWorld world) {
    this.world = world;
  }

  public static Filters of(TestWorld world) {
    return new Filters(world);
  }

  Filters projects(ProjectId... values) {
    projects = List.of(values);
    return this;
  }

  Filters states(JobState... values) {
    states = List.of(values);
    return this;
  }

  Filters queues(String... names) {
    queues = List.of(names);
    return this;
  }

  Filters user(String value) {
    user = value;
    return this;
  }

  Filters name(String value) {
    name = JobFilter.Name.whole(value);
    return this;
  }

  Filters nameContains(String value) {
    name = JobFilter.Name.part(value);
    return this;
  }

  Filters label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  Filters order(JobFilter.Order wanted) {
    order = wanted;
    return this;
  }

  Filters createdAfter(Instant value) {
    createdAfter = value;
    return this;
  }

  Filters createdBefore(Instant value) {
    createdBefore = value;
    return this;
  }

  /** The page after this job. */
  Filters after(Job job) {
    after = JobFilter.Cursor.of(job);
    return this;
  }

  Filters limit(int most) {
    limit = most;
    return this;
  }

  public JobFilter build() {
    return new JobFilter(
        world.tenant().id(),
        projects,
        states,
        queues,
        user,
        name,
        labels,
        createdAfter,
        createdBefore,
        order,
        after,
        limit);
  }
}

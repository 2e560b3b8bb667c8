package dev.fairlead.fleet.quota;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a queue, which is a quota node with jobs.
 *
 * @param defaultMaxRuntime assumed for jobs that specify none, null = no end
 * @param fairByUser whether jobs of one priority are ordered by their user's use of the queue
 *     before age
 * @param flavorFallback rule for trying the next flavor
 * @param routing capacity that its jobs use, by time waited
 * @param userLimits limits of each user
 * @param projectLimits limits of the jobs of each project
 * @param queueLimits limits of all its jobs together
 * @param projects names of the projects of its tenant that may use it, in order, null = all.
 *     Deleted projects are removed, so the list may become empty, and then no job may use the queue
 * @param checks names of the admission checks that permit each start of its jobs, in order, empty
 *     for none
 */
@RecordBuilder
public record QueueSettings(
    Order order,
    State state,
    @Nullable Duration defaultMaxRuntime,
    boolean fairByUser,
    FlavorFallback flavorFallback,
    RoutingPolicy routing,
    UserLimits userLimits,
    RunLimits projectLimits,
    RunLimits queueLimits,
    @Nullable List<String> projects,
    List<String> checks)
    implements QueueSettingsBuilder.With {
  public QueueSettings {
    projects = projects == null ? null : List.copyOf(new TreeSet<>(projects));
    checks = List.copyOf(new TreeSet<>(checks));
  }

  /** Creates settings that order jobs by age. */
  public static QueueSettings of(Order order, State state, @Nullable Duration defaultMaxRuntime) {
    return of(order, state, defaultMaxRuntime, false, FlavorFallback.DEFAULT);
  }

  /** Creates settings that allow every node immediately. */
  public static QueueSettings of(
      Order order,
      State state,
      @Nullable Duration defaultMaxRuntime,
      boolean fairByUser,
      FlavorFallback flavorFallback) {
    return QueueSettingsBuilder.builder()
        .order(order)
        .state(state)
        .defaultMaxRuntime(defaultMaxRuntime)
        .fairByUser(fairByUser)
        .flavorFallback(flavorFallback)
        .routing(RoutingPolicy.NONE)
        .userLimits(UserLimits.NONE)
        .projectLimits(RunLimits.NONE)
        .queueLimits(RunLimits.NONE)
        .projects(null)
        .checks(List.of())
        .build();
  }

  /** Returns the settings for only these projects, null = all. */
  public QueueSettings of(@Nullable List<String> names) {
    return withProjects(names);
  }

  /** Returns whether jobs of the project of that name may be submitted to it. */
  public boolean takes(String project) {
    return projects == null || projects.contains(project);
  }

  /**
   * Returns the settings for a caller that sees only some projects, without the names of others.
   */
  public QueueSettings shown(Predicate<String> seen) {
    return projects == null ? this : of(projects.stream().filter(seen).toList());
  }

  /** Whether a waiting head blocks the jobs behind it. */
  public enum Order {
    STRICT_FIFO,
    BEST_EFFORT_FIFO
  }

  /** Whether the queue starts jobs and accepts new ones. */
  public enum State {
    /** Accepts and starts jobs. */
    ACTIVE,
    /** Accepts jobs but starts none. */
    HELD,
    /** Accepts no jobs but starts its current ones. */
    DRAINING
  }

  public static final QueueSettings DEFAULT =
      QueueSettings.of(Order.BEST_EFFORT_FIFO, State.ACTIVE, null);
}

package dev.fairlead.fleet.quota;

import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What makes a quota node a queue.
 *
 * @param defaultMaxRuntime assumed for jobs that give none; null = never ending
 * @param fairByUser whether jobs of one priority go by how little their user has in the queue,
 *     before they go by age
 * @param flavorFallback when a job goes on to its next flavor
 * @param routing which capacity its jobs use, and after what wait
 * @param userLimits what each user may have at once
 * @param projectLimits what the jobs of each project may have at once
 * @param queueLimits what all its jobs may have at once
 * @param projects names of the projects of its tenant that may use it, in order; null = all. A
 *     deleted project is taken out, so the list may become empty, and then no job may use it
 */
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
    @Nullable List<String> projects) {
  public QueueSettings {
    projects = projects == null ? null : List.copyOf(new TreeSet<>(projects));
  }

  /** One in which jobs go by age. */
  public QueueSettings(Order order, State state, @Nullable Duration defaultMaxRuntime) {
    this(order, state, defaultMaxRuntime, false, FlavorFallback.DEFAULT);
  }

  /** One that uses every node at once. */
  public QueueSettings(
      Order order,
      State state,
      @Nullable Duration defaultMaxRuntime,
      boolean fairByUser,
      FlavorFallback flavorFallback) {
    this(
        order,
        state,
        defaultMaxRuntime,
        fairByUser,
        flavorFallback,
        RoutingPolicy.NONE,
        UserLimits.NONE,
        RunLimits.NONE,
        RunLimits.NONE,
        null);
  }

  /** The same with another way to choose capacity. */
  public QueueSettings routed(RoutingPolicy policy) {
    return new QueueSettings(
        order,
        state,
        defaultMaxRuntime,
        fairByUser,
        flavorFallback,
        policy,
        userLimits,
        projectLimits,
        queueLimits,
        projects);
  }

  /** The same with other limits of each user. */
  public QueueSettings limiting(UserLimits users) {
    return limiting(users, projectLimits, queueLimits);
  }

  /** The same with other limits of each user, of each project and of all. */
  public QueueSettings limiting(UserLimits users, RunLimits ofProjects, RunLimits all) {
    return new QueueSettings(
        order,
        state,
        defaultMaxRuntime,
        fairByUser,
        flavorFallback,
        routing,
        users,
        ofProjects,
        all,
        projects);
  }

  /** The same for these projects alone; null = all. */
  public QueueSettings of(@Nullable List<String> names) {
    return new QueueSettings(
        order,
        state,
        defaultMaxRuntime,
        fairByUser,
        flavorFallback,
        routing,
        userLimits,
        projectLimits,
        queueLimits,
        names);
  }

  /** Whether jobs of the project of that name may be submitted to it. */
  public boolean takes(String project) {
    return projects == null || projects.contains(project);
  }

  /** As a caller is shown it that sees only some projects: without the names of others. */
  public QueueSettings shown(Predicate<String> seen) {
    return projects == null ? this : of(projects.stream().filter(seen).toList());
  }

  /** Whether the head blocks those behind it. */
  public enum Order {
    STRICT_FIFO,
    BEST_EFFORT_FIFO
  }

  /** Whether the queue starts jobs and takes new ones. */
  public enum State {
    /** Takes and starts jobs. */
    ACTIVE,
    /** Takes jobs, starts none. */
    HELD,
    /** Takes no jobs, starts those it has. */
    DRAINING
  }

  public static final QueueSettings DEFAULT =
      new QueueSettings(Order.BEST_EFFORT_FIFO, State.ACTIVE, null);
}

package dev.fairlead.work.warmpool;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.spec.WarmMember;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A setting of a project: sessions that run without a user, so that a submit of the same session
 * starts immediately, each a {@link WarmMember}. With {@code ray}, the members are Ray clusters
 * that jobs of the project share, see {@link RayPoolJob}.
 *
 * @param name DNS label, at most {@link #LONGEST_NAME} characters, unique within the project
 * @param project name of the project
 * @param members number of members that wait, or maximum number of Ray clusters, 0 to {@link
 *     #MOST_MEMBERS}
 * @param ray sharing of its Ray clusters, null for a pool of sessions
 * @param job the session or Ray cluster as JSON, as in a submit, possibly with a template, without
 *     name and dependencies
 * @param deleting whether the setting is deleted as soon as its members are cancelled
 */
public record WarmPool(
    String name, String project, int members, @Nullable Sharing ray, String job, boolean deleting) {
  public static final ConfigType<WarmPool> DOCUMENTS =
      new ConfigType<>(ConfigKind.WARM_POOL, WarmPool.class);

  /** Maximum number of pools of a project. */
  public static final int MOST = 8;

  public static final int MOST_MEMBERS = 32;

  /** The name of a member is the name of its pool, {@code -warm-} and its number. */
  public static final int LONGEST_NAME = 40;

  /** Maximum bytes of the job. */
  public static final int LARGEST_JOB = 64 * 1024;

  /**
   * How jobs share the Ray clusters of a pool.
   *
   * @param min number of clusters that remain without jobs, at most {@code members}
   * @param jobs maximum number of jobs that run in one cluster, 1 to {@link
   *     RayPoolJob#MOST_DRIVERS}
   * @param idleAfter time without jobs after which a cluster above {@code min} is cancelled
   */
  public record Sharing(int min, int jobs, Duration idleAfter) {}

  /** A pool of sessions. */
  public WarmPool(String name, String project, int members, String job, boolean deleting) {
    this(name, project, members, null, job, deleting);
  }

  /** Name of the document: names of pools are unique within their project only. */
  public static String document(ProjectId project, String name) {
    return project.text() + "/" + name;
  }

  /** Names of all members that the pool can have. */
  public List<String> memberNames() {
    BiFunction<String, Integer, String> named =
        ray == null ? WarmMember::name : WarmPool::clusterName;
    return IntStream.rangeClosed(1, MOST_MEMBERS)
        .mapToObj(number -> named.apply(name, number))
        .toList();
  }

  /** Names that its Ray clusters have at its current size. */
  public List<String> clusterNames() {
    return IntStream.rangeClosed(1, members).mapToObj(number -> clusterName(name, number)).toList();
  }

  /** Name of the Ray cluster with this number, from 1. */
  public static String clusterName(String pool, int number) {
    return pool + "-ray-" + number;
  }

  /** The pool while it is deleted. */
  public WarmPool deleted() {
    return new WarmPool(name, project, 0, ray, job, true);
  }
}

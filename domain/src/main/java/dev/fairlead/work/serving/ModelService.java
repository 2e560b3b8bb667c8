package dev.fairlead.work.serving;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a model service. Its versions are {@link ServiceVersion}s.
 *
 * @param name DNS label, at most {@link #LONGEST_NAME} characters, unique within the project
 * @param project name of the project
 * @param route host name of its requests, unique within the installation
 * @param minReplicas the floor, 1 to {@link #MOST_REPLICAS}: replicas that are ready during a
 *     rollout too, and that are not preemptible
 * @param maxReplicas most replicas of all versions together, at least the floor. The difference is
 *     the room for a rollout and for the load
 * @param steps traffic of a new version in percent, ascending, the last 100
 * @param stepFor shortest duration of a step
 * @param slowerThan latency above which a response counts as bad
 * @param scale load of one replica, null for {@code minReplicas} replicas at any load
 */
public record ModelService(
    ModelServiceId id,
    String name,
    String project,
    String route,
    int minReplicas,
    int maxReplicas,
    List<Integer> steps,
    Duration stepFor,
    Duration slowerThan,
    @Nullable LoadTarget scale) {
  public static final ConfigType<ModelService> DOCUMENTS =
      new ConfigType<>(ConfigKind.MODEL_SERVICE, ModelService.class);

  /** Maximum number of services of a project. */
  public static final int MOST = 100;

  /** A replica is a job whose name is the name of its service, its version and its number. */
  public static final int LONGEST_NAME = 24;

  public static final int MOST_REPLICAS = 1_000;

  public static final int MOST_STEPS = 20;
  public static final List<Integer> DEFAULT_STEPS = List.of(1, 5, 25, 100);

  public ModelService {
    steps = List.copyOf(steps);
  }

  /** Name of the document: names of services are unique within their project only. */
  public static String document(ProjectId project, String name) {
    return project.text() + "/" + name;
  }

  /** With other numbers of replicas. */
  public ModelService scaled(int floor, int most, @Nullable LoadTarget byLoad) {
    return new ModelService(
        id, name, project, route, floor, most, steps, stepFor, slowerThan, byLoad);
  }

  /** The nearest number of replicas that the service may have. */
  public int bounded(int replicas) {
    return Math.clamp(replicas, minReplicas, maxReplicas);
  }
}

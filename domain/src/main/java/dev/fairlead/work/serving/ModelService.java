package dev.fairlead.work.serving;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.traffic.RouteOptions;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a model service. Its versions are {@link ServiceVersion}s.
 *
 * @param name DNS label, at most {@link #LONGEST_NAME} characters, unique within the project
 * @param project name of the project
 * @param route host name of its requests, unique within the installation
 * @param minReplicas the floor, 0 to {@link #MOST_REPLICAS}: replicas that are ready during a
 *     rollout too, and that are not preemptible. With 0 the service sleeps while it is idle, and
 *     has a floor of 1 while it is awake
 * @param maxReplicas most replicas of all versions together, at least the floor. The difference is
 *     available to rollouts and the load
 * @param steps traffic of a new version in percent, ascending from 0 or more, the last 100. During
 *     a step of 0 only requests with the header {@link ServiceRoute#VERSION_HEADER} reach it
 * @param stepFor shortest duration of a step
 * @param slowerThan latency above which a response counts as bad
 * @param scale load of one replica, null for {@code minReplicas} replicas at any load
 * @param floors higher floors at certain times, at most {@link #MOST_FLOORS}
 * @param idleAfter time without requests after which it sleeps, two minutes to a week. Null exactly
 *     if {@code minReplicas} is not 0
 * @param access clients that may send requests
 * @param owner object of a front cluster that alone changes the settings, null for users
 * @param guards further conditions of a rollout, at most {@link Guard#MOST}
 * @param options optional features of its route
 */
@RecordBuilder
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
    @Nullable LoadTarget scale,
    List<Floor> floors,
    @Nullable Duration idleAfter,
    Access access,
    @Nullable ServiceOwner owner,
    List<Guard> guards,
    RouteOptions options)
    implements ModelServiceBuilder.With {
  public static final ConfigType<ModelService> DOCUMENTS =
      new ConfigType<>(ConfigKind.MODEL_SERVICE, ModelService.class);

  /** Maximum number of services of a project. */
  public static final int MOST = 100;

  /** A replica is a job whose name is the name of its service, its version and its number. */
  public static final int LONGEST_NAME = 24;

  public static final int MOST_REPLICAS = 1_000;

  public static final int MOST_STEPS = 20;
  public static final List<Integer> DEFAULT_STEPS = List.of(1, 5, 25, 100);

  public static final int MOST_FLOORS = 16;

  /** Clients that may send requests. */
  public enum Access {
    /** Every client that reaches the gateway. */
    OPEN,
    /** Clients with an API key of the service. All requests pass through the gate. */
    KEYS
  }

  /**
   * A floor while a recurring window is open.
   *
   * @param cron when the window opens, as in {@link Cron}
   * @param duration whole minutes, at most {@link RecurringWindow#LONGEST}
   * @param timezone name of the IANA database
   * @param replicas 1 to {@link #MOST_REPLICAS}, below {@code maxReplicas}
   */
  public record Floor(String cron, Duration duration, String timezone, int replicas) {
    /**
     * Returns the window.
     *
     * @throws IllegalArgumentException with a message for its author, if it is no valid window
     */
    public RecurringWindow window() {
      return RecurringWindow.of(Cron.parse(cron), duration, RecurringWindow.zone(timezone));
    }

    /**
     * Returns whether the floor applies. Called by each pass, so it does not validate the window
     * again.
     */
    public boolean open(Instant now) {
      return new RecurringWindow(Cron.stored(cron), duration, ZoneId.of(timezone)).openUntil(now)
          != null;
    }
  }

  public ModelService {
    steps = List.copyOf(steps);
    floors = List.copyOf(floors);
    access = access == null ? Access.OPEN : access;
    guards = guards == null ? List.of() : List.copyOf(guards);
    options = options == null ? RouteOptions.NONE : options;
  }

  /** Name of the document: names of services are unique within their project only. */
  public static String document(ProjectId project, String name) {
    return project.text() + "/" + name;
  }

  /** Returns the service with other numbers of replicas. */
  public ModelService scaled(
      int floor,
      int most,
      @Nullable LoadTarget byLoad,
      List<Floor> byTime,
      @Nullable Duration idle) {
    return with()
        .minReplicas(floor)
        .maxReplicas(most)
        .scale(byLoad)
        .floors(byTime)
        .idleAfter(idle)
        .build();
  }

  private ModelService withFloor(int floor) {
    return scaled(floor, maxReplicas, scale, floors, idleAfter);
  }

  /** The service while it does not sleep: with at least one replica. */
  public ModelService awake() {
    return minReplicas == 0 ? withFloor(1) : this;
  }

  /**
   * Returns the service with the highest floor that applies at this time as {@code minReplicas}.
   */
  public ModelService at(Instant now) {
    int floor = minReplicas;
    for (Floor each : floors) {
      if (each.replicas() > floor && each.open(now)) {
        floor = each.replicas();
      }
    }
    return floor == minReplicas ? this : withFloor(floor);
  }

  /** The nearest number of replicas that the service may have. */
  public int bounded(int replicas) {
    return Math.clamp(replicas, minReplicas, maxReplicas);
  }
}

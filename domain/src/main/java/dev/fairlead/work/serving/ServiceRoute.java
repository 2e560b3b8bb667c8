package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.serving.traffic.RouteOptions;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The route of a service, as a gateway is to have it.
 *
 * @param host host name of its requests
 * @param slowerThan latency above which a response counts as bad
 * @param backends versions with replicas, by number
 * @param gated whether the gate of the cluster takes the requests: while no version has traffic,
 *     and always if the service requires keys. The gate then divides them by the weights
 * @param share percent of the traffic for the gateway of this cluster, null while nothing is ready
 * @param options optional features
 * @param dark version that gets requests with {@link #VERSION_HEADER} and its number, null if none
 */
@RecordBuilder
public record ServiceRoute(
    ModelServiceId service,
    String host,
    Duration slowerThan,
    List<Backend> backends,
    boolean gated,
    @Nullable Integer share,
    RouteOptions options,
    @Nullable Integer dark) {
  /** Header with the number of the version that a request needs. */
  public static final String VERSION_HEADER = "Fairlead-Version";

  /**
   * One version.
   *
   * @param weight percent of the traffic, 0 to 100
   * @param replicas jobs of its replicas
   */
  public record Backend(int version, int weight, SortedSet<JobId> replicas) {
    public Backend {
      replicas = Collections.unmodifiableSortedSet(new TreeSet<>(replicas));
    }
  }

  public ServiceRoute {
    backends = List.copyOf(backends);
  }

  /**
   * The route of a service in its current state.
   *
   * @param cluster name of the cluster of the gateway
   */
  public static ServiceRoute of(ModelService service, ServiceState state, String cluster) {
    List<Backend> backends =
        state.replicas().stream()
            .map(Replica::version)
            .distinct()
            .sorted()
            .map(version -> backend(state, version))
            .toList();
    boolean keys = service.access() == ModelService.Access.KEYS;
    boolean gated = keys || state.weights().isEmpty() && !state.deleting();
    Integer share = state.shares().isEmpty() ? null : state.shares().getOrDefault(cluster, 0);
    return ServiceRouteBuilder.builder()
        .service(service.id())
        .host(service.route())
        .slowerThan(service.slowerThan())
        .backends(backends)
        .gated(gated)
        .share(share)
        .options(service.options())
        .dark(gated ? null : dark(service, state, backends))
        .build();
  }

  /** While a rollout that began with 0 % is open, clients may choose its version. */
  private static @Nullable Integer dark(
      ModelService service, ServiceState state, List<Backend> backends) {
    Rollout rollout = state.rollout();
    return rollout != null
            && rollout.open()
            && service.steps().getFirst() == 0
            && backends.stream().anyMatch(each -> each.version() == rollout.target())
        ? (Integer) rollout.target()
        : null;
  }

  /** Returns whether requests are copied to the dark version. */
  public boolean mirrored() {
    return options.mirror() != null
        && dark != null
        && backends.stream().anyMatch(each -> each.version() == dark && each.weight() == 0);
  }

  /** Name of the Service with the ready replicas of a version, in the namespace of the project. */
  public static String backendName(ModelServiceId service, int version) {
    return ObjectNames.PREFIX + service.bare() + "-v" + version;
  }

  private static Backend backend(ServiceState state, int version) {
    SortedSet<JobId> jobs = new TreeSet<>();
    for (Replica replica : state.replicas()) {
      JobId job = replica.job();
      if (replica.version() == version && job != null) {
        jobs.add(job);
      }
    }
    return new Backend(version, state.weights().getOrDefault(version, 0), jobs);
  }
}

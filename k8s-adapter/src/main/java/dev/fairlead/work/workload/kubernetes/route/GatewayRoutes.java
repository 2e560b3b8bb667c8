package dev.fairlead.work.workload.kubernetes.route;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.traffic.RouteOptions.Feature;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.namespace.EpochFence;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Routes requests of model services through a Gateway of the cluster and reads its counters. */
public final class GatewayRoutes implements ServingGateway {
  private static final Duration SCRAPE = Duration.ofSeconds(5);
  private static final long CHECKED_NANOS = Duration.ofSeconds(30).toNanos();

  /** Interval of scrapes while no rollout divides the traffic. */
  private static final long IDLE_NANOS = Duration.ofSeconds(15).toNanos();

  private final @Nullable TrafficGateway gateway;
  private final ClusterCalls calls;
  private final EpochFence fence;
  private final Supplier<KubernetesClient> client;
  private final ReplicaPods pods;
  private final LongSupplier nanoTime = System::nanoTime;
  private final @Nullable RouteWriter writer;
  private final RequestCounts counts;
  private volatile @Nullable Long epoch;
  private volatile Optional<String> trouble = Optional.empty();
  private volatile SortedMap<Feature, String> lacks = new TreeMap<>();
  private Optional<String> refused = Optional.empty();
  private Optional<String> uncounted = Optional.empty();
  private boolean mayHaveRoutes = true;
  private boolean checked;
  private long checkedAt;
  private boolean scraped;
  private long scrapedAt;

  /**
   * @param gateway gateway of the cluster's settings, null if none
   * @param client throws a {@link CallFailure} without a connection
   */
  public GatewayRoutes(
      Installation installation,
      @Nullable TrafficGateway gateway,
      ClusterCalls calls,
      EgressPolicy egress,
      EpochFence fence,
      Supplier<KubernetesClient> client,
      ReplicaPods pods) {
    this.gateway = gateway;
    this.calls = calls;
    this.fence = fence;
    this.client = client;
    this.pods = pods;
    writer =
        gateway == null ? null : new RouteWriter(calls, new RouteObjects(installation, gateway));
    counts = new RequestCounts(egress, SCRAPE, InstantSource.system());
  }

  /** Records the epoch under which this process acts on the cluster, null if it does not. */
  public void acts(@Nullable Long now) {
    epoch = now;
  }

  /**
   * Adds why model services are not served on the cluster as they should be, and why its gateway
   * lacks optional features.
   */
  public Capabilities reported(Capabilities found) {
    Capabilities reported = trouble.map(why -> found.because("serving", why)).orElse(found);
    for (var lack : lacks.entrySet()) {
      reported = reported.because(lack.getKey().reason(), lack.getValue());
    }
    return reported;
  }

  @Override
  public Optional<List<ServiceTraffic>> serve(List<ServiceRoute> routes) {
    TrafficGateway wanted = gateway;
    RouteWriter writes = writer;
    Long acting = epoch;
    if (wanted == null || writes == null) {
      trouble =
          routes.isEmpty()
              ? Optional.empty()
              : Optional.of("the cluster has no gateway: set gateway of its registration");
      return Optional.of(List.of());
    }
    if (routes.isEmpty() && !mayHaveRoutes) {
      trouble = Optional.empty();
      return Optional.of(List.of());
    }
    if (acting == null) {
      return Optional.empty();
    }
    try {
      return served(client.get(), wanted, writes, routes, acting);
    } catch (CallFailure failure) {
      trouble = Optional.of(GatewayCheck.why(failure));
      return Optional.empty();
    }
  }

  @Override
  public long changes() {
    return pods.changes();
  }

  private Optional<List<ServiceTraffic>> served(
      KubernetesClient through,
      TrafficGateway wanted,
      RouteWriter writes,
      List<ServiceRoute> routes,
      long acting) {
    if (!(fence.check(through, acting) instanceof EpochClaim.Ours)) {
      return Optional.empty();
    }
    check(through, wanted);
    if (refused.isPresent()) {
      trouble = refused;
      return Optional.of(List.of());
    }
    Optional<String> unwritten =
        writes.write(through, routes, this::namespace, lacks.keySet(), acting);
    mayHaveRoutes = !routes.isEmpty() || unwritten.isPresent();
    counts.under(acting);
    scrape(wanted, routes);
    trouble = unwritten.or(() -> ungated(wanted, routes)).or(() -> uncounted);
    return Optional.of(seen(routes));
  }

  private Optional<String> namespace(ModelServiceId service) {
    return pods.namespace(service);
  }

  private void check(KubernetesClient through, TrafficGateway wanted) {
    long now = nanoTime.getAsLong();
    if (!checked || now - checkedAt >= CHECKED_NANOS) {
      GatewayCheck.Finding finding = GatewayCheck.of(through, calls, wanted);
      refused = finding.refusal();
      lacks = finding.lacks();
      checked = refused.isEmpty(); // a refused route is checked in each pass
      checkedAt = now;
    }
  }

  private void scrape(TrafficGateway wanted, List<ServiceRoute> routes) {
    Prometheus metrics = wanted.metrics();
    if (routes.isEmpty()) {
      uncounted = Optional.empty();
      return;
    }
    if (metrics == null) {
      uncounted =
          Optional.of("requests are not counted: set metrics in gateway of the registration");
      return;
    }
    long now = nanoTime.getAsLong();
    if (!scraped || shifting(routes) || now - scrapedAt >= IDLE_NANOS) {
      uncounted = counts.read(metrics, routes);
      scraped = true;
      scrapedAt = now;
    }
  }

  /** Why requests of services with keys are refused by the gateway, empty if they are not. */
  private static Optional<String> ungated(TrafficGateway wanted, List<ServiceRoute> routes) {
    boolean needed =
        routes.stream()
            .anyMatch(
                route -> route.gated() && route.backends().stream().anyMatch(b -> b.weight() > 0));
    return needed && wanted.gate() == null
        ? Optional.of(
            "a service with access KEYS needs a gate: set gate in gateway of the registration")
        : Optional.empty();
  }

  /** Returns whether a rollout divides the traffic of a service. */
  private static boolean shifting(List<ServiceRoute> routes) {
    return routes.stream()
        .anyMatch(route ->
            route.dark() != null
                || route.backends().stream().filter(b -> b.weight() > 0).count() > 1);
  }

  private List<ServiceTraffic> seen(List<ServiceRoute> routes) {
    List<ServiceTraffic> seen = new ArrayList<>();
    for (ServiceRoute route : routes) {
      for (ServiceRoute.Backend backend : route.backends()) {
        seen.add(
            new ServiceTraffic(
                route.service(),
                backend.version(),
                counts.of(route.service(), backend.version()),
                counts.countedAt(),
                pods.ready(backend.replicas())));
      }
    }
    return seen;
  }
}

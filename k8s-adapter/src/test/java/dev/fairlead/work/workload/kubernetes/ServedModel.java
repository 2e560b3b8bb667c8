package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.ServicePlan;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.Gateway;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPBackendRef;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A model service on a real control plane: its replicas, and the plan of its rollout, by the rights
 * of {@code cluster-serving.yaml}.
 */
abstract class ServedModel {
  static final long EPOCH = 7;
  static final String RIGHTS = "deploy/cluster-serving.yaml";
  static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  static final String GATEWAY =
      """
      apiVersion: v1
      kind: Namespace
      metadata: {name: gateways}
      ---
      apiVersion: gateway.networking.k8s.io/v1
      kind: GatewayClass
      metadata: {name: %1$s}
      spec: {controllerName: %2$s}
      ---
      apiVersion: gateway.networking.k8s.io/v1
      kind: Gateway
      metadata: {namespace: gateways, name: %1$s}
      spec:
        gatewayClassName: %1$s
        listeners: [{name: http, port: %3$d, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
      """;

  final Installation installation = new Installation(new UUID(random(), random()), 1);
  final SeededIds ids = new SeededIds(random());
  final LaunchOrders orders = new LaunchOrders(ids, installation, installation.label());
  final String namespace = "fairlead-" + installation.label();
  final ModelService chat =
      new ModelService(
          new ModelServiceId(ids.next()),
          "chat",
          "project",
          installation.label() + ".example.com",
          1,
          2,
          List.of(20, 100),
          Duration.ofSeconds(10),
          Duration.ofMillis(500),
          null,
          List.of(),
          null,
          ModelService.Access.OPEN,
          null,
          List.of(),
          RouteOptions.NONE);
  TestCluster cluster;
  KubernetesClient admin;
  ClusterGateway gateway;

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }

  @BeforeEach
  void aGateway() {
    cluster = KubernetesCluster.shared();
    admin = cluster.admin();
    RealTraefik.install(cluster, "splits", "example.com/splits", 80);
    eventually("its kinds are there", () -> exists());
    cluster.applies(RIGHTS);
  }

  boolean exists() {
    try {
      var _ = admin.resources(HTTPRoute.class).inNamespace("default").list();
      var _ = admin.resources(Gateway.class).inNamespace("default").list();
      return true;
    } catch (KubernetesClientException absent) {
      return false;
    }
  }

  /**
   * The rights are removed at the end, since other classes on this cluster count the rights of the
   * account.
   */
  @AfterEach
  void close() {
    if (gateway != null) {
      var _ = gateway.serving().serve(List.of());
      gateway.close();
    }
    cluster.withdraws(RIGHTS);
  }

  void connect(String name, Prometheus metrics) {
    TrafficGateway of =
        new TrafficGateway(
            "gateways",
            name,
            "gateways",
            metrics,
            new TrafficGateway.Gate("fairlead-system", "fairlead-gate", 80));
    gateway = RealCluster.synced(installation, cluster, ClusterSettings.DEFAULT.withGateway(of));
    RealCluster.fenced(gateway, EPOCH);
  }

  /** A replica of the version that runs on the cluster. */
  Replica runs(int number) {
    List<String> nodes = cluster.nodes("serving", 1, 8, 1);
    eventually(
        "the node is seen",
        () -> gateway.inventory().nodes().stream().anyMatch(n -> nodes.contains(n.name())));
    List<NodeReport> planned =
        gateway.inventory().nodes().stream().filter(n -> nodes.contains(n.name())).toList();
    ServiceVersion version =
        new ServiceVersion(
            chat.id(),
            number,
            Specs.job("").gpus(1).build(),
            "ana",
            NOW,
            new ServiceVersion.Endpoint(9000 + number, "/health"));
    Replica replica = new Replica(number, 0, 1, 0, null, null, false, "", false);
    ServiceState state =
        ServiceState.first(chat.id(), new TenantId(ids.next()), chat.name(), chat.route());
    LaunchOrder order =
        orders.order(EPOCH, version.replica(chat, replica), planned, gateway.capabilities());
    RealCluster.done(gateway, new WorkloadAction.Launch(order.attempt().id(), order));
    return replica.submitted(order.job().id());
  }

  ServiceRoute route(Map<Integer, Integer> weights, Replica... replicas) {
    List<ServiceRoute.Backend> backends = new ArrayList<>();
    for (Replica replica : replicas) {
      backends.add(
          new ServiceRoute.Backend(
              replica.version(),
              weights.getOrDefault(replica.version(), 0),
              new TreeSet<>(List.of(replica.job()))));
    }
    return new ServiceRoute(
        chat.id(),
        chat.route(),
        chat.slowerThan(),
        backends,
        weights.isEmpty(),
        null,
        RouteOptions.NONE,
        null);
  }

  List<ServiceTraffic> served(ServiceRoute... routes) {
    List<Optional<List<ServiceTraffic>>> answer = new ArrayList<>();
    eventually(
        "an answer",
        () -> {
          answer.add(gateway.serving().serve(List.of(routes)));
          return answer.getLast().isPresent();
        });
    return answer.getLast().orElseThrow();
  }

  boolean ready(ServiceRoute route, int version) {
    return served(route).stream().anyMatch(t -> t.version() == version && !t.ready().isEmpty());
  }

  HTTPRoute stored() {
    return admin
        .resources(HTTPRoute.class)
        .inNamespace(namespace)
        .withName("fl-" + chat.id().bare())
        .get();
  }

  SortedMap<String, Integer> weights() {
    SortedMap<String, Integer> weights = new TreeMap<>();
    for (HTTPBackendRef ref : stored().getSpec().getRules().getFirst().getBackendRefs()) {
      weights.put(ref.getName().substring(ref.getName().lastIndexOf('-') + 1), ref.getWeight());
    }
    return weights;
  }

  /** Plans as the loop does, with requests between two plans. */
  ServiceState until(
      ServiceState from,
      Predicate<ServiceState> holds,
      Consumer<SortedMap<Integer, Integer>> traffic) {
    ServiceState[] state = {from};
    eventually(
        "the plan gets there",
        () -> {
          traffic.accept(state[0].weights());
          List<ServiceTraffic> shown = served(ServiceRoute.of(chat, state[0], "here"));
          SortedMap<Integer, ServiceTraffic> counts = new TreeMap<>();
          TreeSet<Object> ready = new TreeSet<>();
          shown.forEach(t -> {
            counts.put(t.version(), t);
            ready.addAll(t.ready());
          });
          List<Replica.Seen> seen =
              state[0].replicas().stream()
                  .map(replica ->
                      new Replica.Seen(
                          replica,
                          replica.job() != null && ready.contains(replica.job())
                              ? Replica.Condition.READY
                              : Replica.Condition.WAITING,
                          ""))
                  .toList();
          state[0] = ServicePlan.next(chat, state[0], seen, counts, NOW);
          return holds.test(state[0]);
        });
    return state[0];
  }
}

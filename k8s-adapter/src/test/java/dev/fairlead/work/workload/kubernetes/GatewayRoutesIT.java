package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.reason;
import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.kubernetes.route.GatewayCounters;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.gatewayapi.v1beta1.ReferenceGrant;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Routes of model services on a real control plane. */
@OnControlPlane
class GatewayRoutesIT extends ServedModel {
  private void patched(String spec) {
    var _ =
        admin
            .resources(HTTPRoute.class)
            .inNamespace(namespace)
            .withName("fl-" + chat.id().bare())
            .patch(MERGE, spec);
  }

  /** Fails when a pod of another version, or of another job, gets requests of a version. */
  @Test
  void eachVersionIsAServiceOfItsReadyPodsBehindOneWeightedRoute() {
    connect("splits", null);
    Replica one = runs(1);
    Replica two = runs(2);
    ServiceRoute route = route(Map.of(1, 95, 2, 5), one, two);
    eventually("both are ready", () -> ready(route, 1) && ready(route, 2));

    assertThat(weights()).isEqualTo(new TreeMap<>(Map.of("v1", 95, "v2", 5)));
    assertThat(stored().getSpec().getHostnames()).containsExactly(chat.route());
    for (int version : List.of(1, 2)) {
      String name = "fl-" + chat.id().bare() + "-v" + version;
      eventually("endpoint of " + name, () -> port(name).equals(List.of(9000 + version)));
      Service service = admin.services().inNamespace(namespace).withName(name).get();
      assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    }
    assertThat(admin.network().v1().networkPolicies().inNamespace(namespace).list().getItems())
        .filteredOn(policy -> policy.getMetadata().getName().equals("fl-" + chat.id().bare()))
        .singleElement()
        .satisfies(policy ->
            assertThat(policy.getSpec().getIngress().getFirst().getFrom().toString())
                .contains("metadata.name=gateways", "metadata.name=fairlead-system"));
    String version = stored().getMetadata().getResourceVersion();
    var _ = served(route);
    assertThat(stored().getMetadata().getResourceVersion()).as("written once").isEqualTo(version);
    assertThat(gateway.capabilities().reasons().get("serving")).contains("not counted");

    ServiceRoute after = route(Map.of(1, 100), one);
    var _ = served(after);
    assertThat(weights()).isEqualTo(new TreeMap<>(Map.of("v1", 100)));
    assertThat(
            admin
                .services()
                .inNamespace(namespace)
                .withName("fl-" + chat.id().bare() + "-v2")
                .get())
        .isNull();

    eventually(
        "without traffic the gate takes the requests",
        () -> {
          var _ = served(route(Map.of(), one));
          return stored().getSpec().getRules().getFirst().getBackendRefs().stream()
              .map(ref -> ref.getNamespace() + "/" + ref.getName())
              .toList()
              .equals(List.of("fairlead-system/fairlead-gate"));
        });
    var grant =
        admin.resources(ReferenceGrant.class).inNamespace("fairlead-system").withName(namespace);
    String granted = grant.get().getMetadata().getResourceVersion();
    var _ = served(route(Map.of(), one));
    assertThat(grant.get().getMetadata().getResourceVersion()).isEqualTo(granted);
    var _ = grant.delete();
    var _ = served(route(Map.of(), one));
    assertThat(grant.get()).as("a grant that was deleted by hand").isNotNull();

    var _ = served();
    eventually("the route goes with what it owns", () -> stored() == null && left().isEmpty());
    assertThat(gateway.capabilities().reasons()).doesNotContainKey("serving");
  }

  private List<String> left() {
    return cluster.left(namespace).stream().filter(name -> name.startsWith("Service/")).toList();
  }

  private List<Integer> port(String service) {
    List<Integer> ports = new ArrayList<>();
    for (EndpointSlice slice :
        admin
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(namespace)
            .withLabel("kubernetes.io/service-name", service)
            .list()
            .getItems()) {
      if (slice.getEndpoints() != null && !slice.getEndpoints().isEmpty()) {
        slice.getPorts().forEach(port -> ports.add(port.getPort()));
      }
    }
    return ports;
  }

  /** Fails when weights that a person wrote stay, and a rolled back version has traffic. */
  @Test
  void weightsThatWereChangedByHandAreCorrected() {
    connect("splits", null);
    Replica one = runs(1);
    Replica two = runs(2);
    ServiceRoute route = route(Map.of(1, 100), one, two);
    eventually("both are ready", () -> ready(route, 1) && ready(route, 2));

    patched(
        """
        {"spec":{"rules":[{"backendRefs":[{"name":"fl-%s-v2","port":80,"weight":100}]}]}}
        """
            .formatted(chat.id().bare()));
    assertThat(weights()).isEqualTo(new TreeMap<>(Map.of("v2", 100)));
    var _ = served(route);
    assertThat(weights()).isEqualTo(new TreeMap<>(Map.of("v1", 100, "v2", 0)));

    String name = "fl-" + chat.id().bare() + "-v1";
    var _ =
        admin
            .services()
            .inNamespace(namespace)
            .withName(name)
            .patch(MERGE, "{\"spec\":{\"selector\":{\"app\":\"other\"}}}");
    eventually(
        "its Service selects its pods again",
        () -> {
          var _ = served(route);
          Service there = admin.services().inNamespace(namespace).withName(name).get();
          return there != null && !there.getSpec().getSelector().containsKey("app");
        });
  }

  /** Fails when a class that ignores weights gives a new version all traffic. */
  @Test
  void gatewayClassWithoutWeightsIsRejectedWithItsReason() {
    cluster.apply(GATEWAY.formatted("tcp-only", "example.com/tcp-only", 80));
    String _ =
        cluster.kubectl(
            "patch",
            "gatewayclass",
            "tcp-only",
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"supportedFeatures\":[{\"name\":\"Gateway\"},{\"name\":\"TCPRoute\"}]}}");
    connect("tcp-only", null);
    Replica one = runs(1);
    assertThat(served(route(Map.of(1, 100), one))).isEmpty();
    assertThat(stored()).isNull();
    assertThat(gateway.capabilities().reasons().get("serving"))
        .satisfies(
            reason(
                "gateway-routes.gatewayclass-tcp-only-divides",
                "GatewayClass",
                "supportedFeatures",
                "HTTPRoute"));
  }

  /** Fails when the API server refuses an optional feature, or changes it in each pass. */
  @Test
  void featuresOfTheClassAreWrittenOnceAndOthersAreReported() {
    cluster.apply(GATEWAY.formatted("copies", "example.com/copies", 80));
    String _ =
        cluster.kubectl(
            "patch",
            "gatewayclass",
            "copies",
            "--subresource=status",
            "--type=merge",
            "-p",
            """
            {"status":{"supportedFeatures":[{"name":"HTTPRoute"},{"name":"HTTPRouteRequestMirror"},
            {"name":"HTTPRouteRequestPercentageMirror"},{"name":"HTTPRouteRequestTimeout"}]}}
            """);
    connect("copies", null);
    Replica one = runs(1);
    Replica two = runs(2);
    ServiceRoute weights = route(Map.of(1, 100), one, two);
    ServiceRoute dark =
        new ServiceRoute(
            chat.id(),
            chat.route(),
            chat.slowerThan(),
            weights.backends(),
            false,
            null,
            new RouteOptions(10, Duration.ofMinutes(2), 3),
            2);
    eventually("both are ready", () -> ready(dark, 1) && ready(dark, 2));
    assertThat(stored().getSpec().getRules()).hasSize(2);
    assertThat(stored().getSpec().getRules().getLast().getFilters())
        .singleElement()
        .satisfies(filter -> {
          assertThat(filter.getRequestMirror().getPercent()).isEqualTo(10);
          assertThat(filter.getRequestMirror().getBackendRef().getName()).endsWith("-v2");
        });
    assertThat(stored().getSpec().getRules())
        .allSatisfy(rule -> {
          assertThat(rule.getTimeouts().getRequest()).isEqualTo("120s");
          assertThat(rule.getRetry()).isNull();
        });
    String version = stored().getMetadata().getResourceVersion();
    var _ = served(dark);
    assertThat(stored().getMetadata().getResourceVersion()).as("written once").isEqualTo(version);
    assertThat(gateway.capabilities().reasons())
        .containsKey("serving.HTTPRouteRetry")
        .doesNotContainKey("serving.HTTPRouteRequestMirror");
  }

  /** Fails when a supervisor that was replaced returns weights of an earlier state. */
  @Test
  void aReplacedSupervisorWritesNoWeights() {
    connect("splits", null);
    Replica one = runs(1);
    ServiceRoute route = route(Map.of(1, 100), one);
    eventually("it is ready", () -> ready(route, 1));
    try (ClusterGateway next =
        RealCluster.synced(
            installation,
            cluster,
            ClusterSettings.DEFAULT.withGateway(
                new TrafficGateway("gateways", "splits", "gateways", null, null)))) {
      RealCluster.fenced(next, EPOCH + 1);
      RealCluster.pause(Duration.ofMillis(1_100)); // the fence is read once a second
      assertThat(gateway.serving().serve(List.of(route(Map.of(1, 1), one)))).isEmpty();
      assertThat(weights()).isEqualTo(new TreeMap<>(Map.of("v1", 100)));
      HTTPRoute late = stored();
      late.getMetadata().setManagedFields(null);
      late.getMetadata().getLabels().put("fairlead.dev/epoch", Long.toString(EPOCH));
      try (KubernetesClient fairlead = asFairlead()) {
        assertThatThrownBy(() ->
                fairlead.resource(late).fieldManager("fairlead").forceConflicts().serverSideApply())
            .hasMessageContaining("older");
        late.getMetadata().setUid(null);
        late.getMetadata().setResourceVersion(null);
        late.getMetadata().getLabels().put("fairlead.dev/epoch", Long.toString(EPOCH + 1));
        late.getMetadata().setNamespace("default");
        assertThatThrownBy(() ->
                fairlead.resource(late).fieldManager("fairlead").forceConflicts().serverSideApply())
            .hasMessageContaining("namespaces of projects");
      }
    }
  }

  private KubernetesClient asFairlead() {
    return new io.fabric8.kubernetes.client.KubernetesClientBuilder()
        .withConfig(io.fabric8.kubernetes.client.Config.fromKubeconfig(cluster.kubeconfig()))
        .build();
  }

  /** Fails when the counters of the gateway do not roll back a bad version on a real route. */
  @Test
  void aBadVersionIsRolledBackByTheCountersOfTheGateway() {
    GatewayCounters counters = new GatewayCounters(chat.id(), namespace);
    try (FakeApiServer metrics =
        new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, counters.text()))) {
      Connection.Kubernetes at = metrics.connection("127.0.0.1");
      connect("splits", new Prometheus(at.server() + "/metrics", at.caData(), false));
      ServiceState state =
          ServiceState.first(chat.id(), new TenantId(ids.next()), "d", chat.route());
      state = state.with(List.of(runs(1)));
      state =
          until(state, s -> s.weights().equals(new TreeMap<>(Map.of(1, 100))), counters::hundred);

      state = state.released(NOW);
      List<Replica> both = new ArrayList<>(state.replicas());
      both.add(runs(2));
      state = state.with(both);
      state = until(state, s -> s.weights().getOrDefault(2, 0) == 20, counters::hundred);
      var _ = served(ServiceRoute.of(chat, state, "here"));
      assertThat(weights()).isEqualTo(new TreeMap<>(Map.of("v1", 80, "v2", 20)));

      counters.bad(2);
      state = until(state, s -> s.rollout().phase() == RolloutPhase.ROLLED_BACK, counters::hundred);
      state = until(state, s -> s.weights().equals(new TreeMap<>(Map.of(1, 100))), none -> {});
      var _ = served(ServiceRoute.of(chat, state, "here"));
      assertThat(weights().get("v1")).isEqualTo(100);
      assertThat(weights().getOrDefault("v2", 0)).isZero();
      assertThat(gateway.capabilities().reasons()).doesNotContainKey("serving");
    }
  }
}

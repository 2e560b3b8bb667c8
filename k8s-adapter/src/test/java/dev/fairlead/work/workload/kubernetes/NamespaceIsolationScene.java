package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.Isolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceReconciler;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An API server with policies, quotas and accounts of namespaces in memory. */
abstract class NamespaceIsolationScene {

  static final String PROJECT = "fairlead-nlp";
  static final String OTHER = "fairlead-other";
  static final String ENDS = "fairlead-ends";
  static final String POLICIES = "/networkpolicies";
  static final String ACCOUNT =
      "{\"metadata\":{\"name\":\"there\",\"labels\":{\"%s\":\"%s\"}},\"automountServiceAccountToken\":false}"
          .formatted(ObjectLabels.INSTALLATION, Orders.INSTALLATION.label());
  final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, meters).open("one");
  final SortedMap<String, NetworkPolicy> stored = new ConcurrentSkipListMap<>();
  final SortedMap<String, String> bounds = new ConcurrentSkipListMap<>();
  final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  KubernetesClient client;

  /** Addresses of the API server, empty if unknown. */
  volatile String address = "10.0.0.1";

  volatile boolean mayWrite = true;

  /** A namespace where no policy is taken. */
  volatile String denied = "";

  /** A namespace whose account and pods the API server does not list. */
  volatile String silent = "";

  /** Whether that namespace no longer accepts pods. */
  volatile boolean ending;

  /** Policies of gangs in the other namespace. */
  volatile String members = "";

  volatile List<String> namespaces = List.of(PROJECT);
  final AtomicLong nanos = new AtomicLong();

  @BeforeEach
  void connect() throws Exception {
    client = server.client();
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
    calls.close();
  }

  NamespaceReconciler acting(NamespaceIsolation isolation) {
    NamespaceReconciler upkeep =
        new NamespaceReconciler(
            Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of);
    upkeep.acts(1L);
    isolation.plans().all(List.of());
    return upkeep;
  }

  static NetworkPolicy gang() {
    return Isolation.gang(
        new ObjectMetaBuilder().withName("fl-a").withNamespace(PROJECT).build(),
        Map.of("attempt", "a"),
        null);
  }

  NamespaceIsolation isolation() {
    NamespaceIsolation isolation = new NamespaceIsolation(Orders.INSTALLATION, calls, nanos::get);
    isolation.plans().all(List.of());
    return isolation;
  }

  Namespaces namespaces(NamespaceIsolation isolation) {
    return new Namespaces(Orders.INSTALLATION, calls, isolation, () -> 0);
  }

  /** The first launch of a process in a namespace. */
  void launch(NamespaceIsolation isolation) {
    assertThat(namespaces(isolation).ensure(client, PROJECT, Orders.PROJECT)).isNull();
  }

  void look(NamespaceIsolation isolation) {
    new NamespaceReconciler(Orders.INSTALLATION, calls, namespaces(isolation), isolation, Set::of)
        .look(client);
  }

  double repairs() {
    return meters.get("fairlead.cluster.repairs").tag("cluster", "one").counter().count();
  }

  void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String last = path.substring(path.lastIndexOf('/') + 1);
    if (within(exchange, silent)) {
      FakeApiServer.send(exchange, 500, FakeApiServer.status(500, "InternalError"));
    } else if (path.endsWith(OTHER + "/pods")) {
      boolean first = exchange.getRequestURI().getQuery().contains(ObjectLabels.INDEX);
      FakeApiServer.send(exchange, 200, LyingApiServer.list("", first ? "" : members));
    } else if (ending && path.endsWith(ENDS + "/pods")) {
      FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
    } else if (path.contains(POLICIES)) {
      policies(exchange, last);
    } else if (path.contains("/resourcequotas") || path.contains("/limitranges")) {
      bounds(exchange, path);
    } else if (path.contains("/endpointslices/")) {
      told(exchange, address.isEmpty() ? null : slice());
    } else if (path.endsWith("/namespaces")) {
      String all =
          namespaces.stream()
              .map(NamespaceIsolationScene::namespace)
              .collect(Collectors.joining(","));
      FakeApiServer.send(exchange, 200, LyingApiServer.list("", all));
    } else {
      told(exchange, last.equals(PROJECT) ? namespace(PROJECT) : ACCOUNT);
    }
  }

  /** Records writes by path. */
  void bounds(HttpExchange exchange, String path) throws IOException {
    String kind = path.contains("/resourcequotas") ? "/resourcequotas" : "/limitranges";
    if (exchange.getRequestMethod().equals("GET")) {
      String all =
          bounds.entrySet().stream()
              .filter(bound -> bound.getKey().contains(kind))
              .map(Map.Entry::getValue)
              .collect(Collectors.joining(","));
      told(exchange, LyingApiServer.list("", all));
    } else {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      bounds.put(path, body);
      told(exchange, body);
    }
  }

  void policies(HttpExchange exchange, String last) throws IOException {
    String method = exchange.getRequestMethod();
    if (!mayWrite) {
      String why = "User x cannot " + method + " resource networkpolicies";
      FakeApiServer.send(
          exchange, 403, FakeApiServer.status(403, "Forbidden").replace("told so", why));
    } else if (!method.equals("GET") && within(exchange, denied)) {
      String why = "admission webhook x denied the request";
      FakeApiServer.send(
          exchange, 403, FakeApiServer.status(403, "Forbidden").replace("told so", why));
    } else if (method.equals("GET")) {
      boolean one = !last.equals("networkpolicies");
      String all =
          stored.values().stream().map(Serialization::asJson).collect(Collectors.joining(","));
      told(exchange, one ? json(stored.get(last)) : LyingApiServer.list("", all));
    } else {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      NetworkPolicy policy = Serialization.unmarshal(body, NetworkPolicy.class);
      stored.put(policy.getMetadata().getName(), policy);
      told(exchange, body);
    }
  }

  static boolean within(HttpExchange exchange, String namespace) {
    return exchange.getRequestURI().getPath().contains("/namespaces/" + namespace + "/")
        && !namespace.isEmpty();
  }

  static String json(NetworkPolicy policy) {
    return policy == null ? null : Serialization.asJson(policy);
  }

  static void told(HttpExchange exchange, String body) throws IOException {
    FakeApiServer.send(
        exchange,
        body == null ? 404 : 200,
        body == null ? FakeApiServer.status(404, "NotFound") : body);
  }

  String slice() {
    return "{\"kind\":\"EndpointSlice\",\"metadata\":{\"name\":\"kubernetes\"},\"endpoints\":[{\"addresses\":[\"%s\"]}],\"ports\":[{\"port\":6443}]}"
        .formatted(address);
  }

  static String namespace(String name) {
    SortedMap<String, String> labels = ObjectLabels.of(Orders.INSTALLATION);
    labels.putAll(NamespaceIsolation.labels());
    String text =
        Stream.of(labels)
            .flatMap(all -> all.entrySet().stream())
            .map(label -> "\"%s\":\"%s\"".formatted(label.getKey(), label.getValue()))
            .collect(Collectors.joining(","));
    return "{\"metadata\":{\"name\":\"%s\",\"labels\":{%s}}}".formatted(name, text);
  }
}

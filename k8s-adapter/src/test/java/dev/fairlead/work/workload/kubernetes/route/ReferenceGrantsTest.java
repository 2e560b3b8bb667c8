package dev.fairlead.work.workload.kubernetes.route;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.fleet.cluster.connection.TrafficGateway;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.workload.kubernetes.FakeApiServer;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** ReferenceGrants and routes of sleeping services, on an API server that stores only grants. */
class ReferenceGrantsTest {
  private static final String PATH =
      "/apis/gateway.networking.k8s.io/v1beta1/namespaces/fairlead-system/referencegrants";
  private static final ServiceRoute SLEEPS = sleeping(0x8000, "chat.example.com");
  private final SortedMap<String, String> stored = new TreeMap<>();
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private boolean forbidden;
  private String refused = "none";
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private final KubernetesClient client = client();
  private final RouteWriter writer =
      new RouteWriter(
          new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, metrics).open("prod"),
          new RouteObjects(
              new Installation(new UUID(1, 2), 1),
              new TrafficGateway(
                  "gateways",
                  "inference",
                  "gateways",
                  null,
                  new TrafficGateway.Gate("fairlead-system", "fairlead-gate", 80))));

  private static ServiceRoute sleeping(long id, String host) {
    return new ServiceRoute(
        new ModelServiceId(new UUID(0x7000, id)),
        host,
        Duration.ofSeconds(1),
        List.of(),
        true,
        null,
        RouteOptions.NONE,
        null);
  }

  private KubernetesClient client() {
    try {
      return server.client(FakeApiServer.PATIENCE);
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  @AfterEach
  void closes() {
    client.close();
    server.close();
  }

  /** Lists of other objects are empty, and a written object is returned with a UID. */
  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    boolean grants = path.startsWith(PATH);
    if (exchange.getRequestMethod().equals("GET")) {
      String items = grants ? String.join(",", stored.values()) : "";
      FakeApiServer.send(
          exchange,
          grants && forbidden ? 403 : 200,
          grants && forbidden
              ? FakeApiServer.status(403, "Forbidden")
              : "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"metadata\":{},\"items\":[%s]}"
                  .formatted(items));
      return;
    }
    if (grants && path.endsWith(refused)) {
      FakeApiServer.send(exchange, 403, FakeApiServer.status(403, "Forbidden"));
      return;
    }
    if (grants) {
      stored.put(path.substring(PATH.length() + 1), body);
    }
    FakeApiServer.send(
        exchange, 200, body.replaceFirst("\"metadata\":\\{", "\"metadata\":{\"uid\":\"u-1\","));
  }

  private Optional<String> pass() {
    return writer.write(client, List.of(SLEEPS), id -> Optional.of("fairlead-nlp"), Set.of(), 7);
  }

  private long written(String path) {
    return server.requests().stream()
        .filter(each -> each.startsWith("PATCH") && each.contains(path))
        .count();
  }

  private double repairs() {
    return metrics.find("fairlead.cluster.repairs").counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  @Test
  void aGrantIsWrittenOnce() {
    assertThat(pass()).isEmpty();
    assertThat(pass()).isEmpty();
    assertThat(stored).containsOnlyKeys("fairlead-nlp");
    assertThat(written(PATH)).isEqualTo(1);
    assertThat(repairs()).isZero();
  }

  /** Fails when requests to a service that sleeps are refused because its grant was deleted. */
  @Test
  void aGrantThatWasDeletedOrChangedByHandIsWrittenAgain() {
    assertThat(pass()).isEmpty();
    String grant = stored.get("fairlead-nlp");

    stored.clear();
    assertThat(pass()).isEmpty();
    assertThat(stored).containsEntry("fairlead-nlp", grant);
    assertThat(repairs()).isEqualTo(1);

    stored.put("fairlead-nlp", grant.replace("fairlead-gate", "other"));
    assertThat(pass()).isEmpty();
    assertThat(stored).containsEntry("fairlead-nlp", grant);
    assertThat(repairs()).isEqualTo(2);
  }

  /** Fails when a cluster with the rights of an earlier release no longer gets weights. */
  @Test
  void routesAreWrittenWithoutThePermission() {
    forbidden = true;
    assertThat(pass())
        .hasValueSatisfying(trouble ->
            assertThat(trouble).startsWith("ReferenceGrants of namespace fairlead-system: "));
    assertThat(server.requests())
        .anyMatch(each -> each.startsWith("PATCH") && each.contains("/httproutes/"));
  }

  /** Fails when a refused grant of one project stops the grants of all other projects. */
  @Test
  void rejectedGrantBlocksNoOther() {
    refused = "fairlead-asr";
    ServiceRoute other = sleeping(0x8001, "asr.example.com");
    Optional<String> trouble =
        writer.write(
            client,
            List.of(other, SLEEPS),
            id -> Optional.of(id.equals(other.service()) ? refused : "fairlead-nlp"),
            Set.of(),
            7);
    assertThat(trouble)
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("ReferenceGrant fairlead-system/fairlead-asr: "));
    assertThat(stored).containsOnlyKeys("fairlead-nlp");
  }

  /** Fails when requests no longer wake a service because its route was deleted by hand. */
  @Test
  void aDeletedRouteOfAServiceWithoutPodsIsWrittenAgain() {
    assertThat(pass()).isEmpty();
    assertThat(written("/namespaces/fairlead-nlp/httproutes/")).isEqualTo(1);

    assertThat(writer.write(client, List.of(SLEEPS), id -> Optional.empty(), Set.of(), 7))
        .isEmpty();
    assertThat(written("/namespaces/fairlead-nlp/httproutes/")).isEqualTo(2);
  }
}

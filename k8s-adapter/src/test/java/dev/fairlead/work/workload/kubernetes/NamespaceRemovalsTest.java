package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.work.workload.RemovalOutcome;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceRemovals;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The report about an API server that does not carry out requests. */
class NamespaceRemovalsTest {
  private static final String NAME = "fairlead-nlp";
  private static final String THERE =
      "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u\",\"labels\":{\"%s\":\"%s\"},\"annotations\":{\"fairlead.dev/created-for\":\"%s/%s\"}}}"
          .formatted(
              NAME,
              ObjectLabels.INSTALLATION,
              Orders.INSTALLATION.label(),
              Orders.INSTALLATION.label(),
              Orders.PROJECT.bare());
  private final ClusterCalls calls =
      new ClusterGates(CallLimits.DEFAULT, FakeApiServer.PATIENCE, new SimpleMeterRegistry())
          .open("one");
  private final FakeApiServer server = new FakeApiServer((exchange, n) -> answer(exchange));
  private final NamespaceRemovals removals =
      new NamespaceRemovals(
          Orders.INSTALLATION,
          calls,
          new Namespaces(
              Orders.INSTALLATION,
              calls,
              new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
              System::nanoTime),
          () -> false);
  private volatile int code;

  @AfterEach
  void close() {
    server.close();
    calls.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("GET")) {
      FakeApiServer.send(exchange, 200, THERE);
    } else {
      FakeApiServer.send(
          exchange,
          code,
          "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":%d,\"message\":\"by a rule\"}"
              .formatted(code));
    }
  }

  /** Fails when a permanent refusal is retried as often as an unanswered call. */
  @Test
  void rejectedRemovalWaitsAndAnUnansweredOneIsRetried() throws Exception {
    try (KubernetesClient client = server.client()) {
      code = 422;
      assertThat(removals.remove(client, NAME, Orders.PROJECT))
          .isInstanceOfSatisfying(
              RemovalOutcome.Waits.class, waits -> assertThat(waits.why()).contains("by a rule"));

      code = 500;
      assertThat(removals.remove(client, NAME, Orders.PROJECT))
          .isInstanceOf(RemovalOutcome.Unavailable.class);
    }
  }
}

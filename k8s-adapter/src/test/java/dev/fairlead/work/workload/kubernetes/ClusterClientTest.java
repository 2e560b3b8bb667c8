package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.client.ClusterClient;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpLoggingInterceptor;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ClusterClientTest {
  private static final String VERSION =
      "{\"major\":\"1\",\"minor\":\"36\",\"gitVersion\":\"v1.36.4\"}";

  @Test
  void connectionUsesTheCheckedAddressAndVerifiesTheCertificateByName() throws Exception {
    try (FakeApiServer server =
        new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, VERSION))) {
      // cluster.example resolves nowhere: only the pinned address can have been used.
      try (KubernetesClient client = client(server, "cluster.example")) {
        assertThat(client.getKubernetesVersion().getGitVersion()).isEqualTo("v1.36.4");
        assertThat(server.authorizations()).containsOnly("Bearer the-token");
      }
      try (KubernetesClient wrongName = client(server, "other.example")) {
        assertThatThrownBy(wrongName::getKubernetesVersion)
            .hasStackTraceContaining("other.example");
      }
    }
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    try (FakeApiServer elsewhere =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, VERSION));
        FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              exchange
                  .getResponseHeaders()
                  .set("Location", elsewhere.connection("127.0.0.1").server() + "/version");
              exchange.sendResponseHeaders(307, -1);
            });
        KubernetesClient client = client(server, "cluster.example")) {
      assertThatThrownBy(client::getKubernetesVersion)
          .isInstanceOf(KubernetesClientException.class);
      // Without Redirect.NEVER in ClusterClient this is 1, and the redirected request contained
      // the token.
      assertThat(elsewhere.requests()).isEmpty();
    }
  }

  @Test
  void failedPostIsSentOnce() throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) ->
                FakeApiServer.send(
                    exchange, 503, FakeApiServer.status(503, "ServiceUnavailable")));
        KubernetesClient client = client(server, "cluster.example")) {
      ConfigMap map =
          new ConfigMapBuilder()
              .withNewMetadata()
              .withName("a")
              .withNamespace("b")
              .endMetadata()
              .build();
      assertThatThrownBy(() -> client.resource(map).create())
          .isInstanceOf(KubernetesClientException.class);
      // Without the retry limit of zero the client library sends it up to ten times more.
      assertThat(server.requests()).hasSize(1);
    }
  }

  @Test
  void nothingOfTheCredentialsIsInTheConfiguration() throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, VERSION));
        KubernetesClient client = client(server, "cluster.example")) {
      assertThat(client.getConfiguration().toString()).doesNotContain("the-token");
      assertThat(client.getConfiguration().getAutoConfigure()).isFalse();
    }
  }

  /** Fails when the client writes its own log of calls, which has the token and all bodies. */
  @Test
  void noCallIsLoggedAtAnyLevel() throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger(HttpLoggingInterceptor.class);
    ListAppender<ILoggingEvent> said = new ListAppender<>();
    said.start();
    log.addAppender(said);
    log.setLevel(Level.TRACE);
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> FakeApiServer.send(exchange, 200, VERSION));
        KubernetesClient client = client(server, "cluster.example")) {
      assertThat(client.getKubernetesVersion().getGitVersion()).isEqualTo("v1.36.4");
    } finally {
      log.setLevel(null);
      log.detachAppender(said);
    }
    assertThat(said.list).isEmpty();
  }

  private static KubernetesClient client(FakeApiServer server, String host)
      throws GeneralSecurityException, ServerUrl.Refused {
    var connection = server.connection(host);
    return ClusterClient.open(
        connection,
        ServerUrl.parse(connection.server()),
        InetAddress.getLoopbackAddress(),
        FakeApiServer.PATIENCE,
        new AnswerGuard(wait -> {}));
  }
}

package dev.fairlead.work.workload.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.client.ClusterClient;
import dev.fairlead.work.workload.kubernetes.client.ServerUrl;
import dev.fairlead.work.workload.kubernetes.client.TestIdentity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/**
 * An HTTPS server on loopback, known as {@code cluster.example}, that answers as it is told and
 * notes what it was asked.
 */
public final class FakeApiServer implements AutoCloseable {
  /** For one call: the first of a JVM loads all that a client needs. */
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpsServer server;
  private final String authority;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();

  /** How a request is answered. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange, int number) throws IOException;
  }

  /**
   * @param answer gets the exchange and how many came before it
   */
  public FakeApiServer(Answer answer) {
    this(answer, TestIdentity.server(), TestIdentity.certificate());
  }

  /**
   * @param tls with a certificate that {@code authority} signed
   */
  FakeApiServer(Answer answer, SSLContext tls, String authority) {
    this.authority = authority;
    try {
      server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          int number = requests.size();
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          authorizations.add(
              String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          answer.to(exchange, number);
          exchange.close();
        });
    server.start();
  }

  public static void send(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  public static String status(int code, String reason) {
    return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"%s\",\"message\":\"told so\",\"code\":%d}"
        .formatted(reason, code);
  }

  /** What came until now; it does not change with what comes later. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** Of the requests that came until now. */
  List<String> authorizations() {
    return List.copyOf(authorizations);
  }

  Connection.Kubernetes connection(String host) {
    return new Connection.Kubernetes(
        "https://" + host + ":" + server.getAddress().getPort(),
        authority,
        new Secret("the-token"),
        null,
        null);
  }

  /** A client of it. */
  KubernetesClient client() throws GeneralSecurityException, ServerUrl.Refused {
    return client(PATIENCE);
  }

  /** A client that waits so long for an answer. */
  public KubernetesClient client(Duration patience)
      throws GeneralSecurityException, ServerUrl.Refused {
    Connection.Kubernetes connection = connection("cluster.example");
    return ClusterClient.open(
        connection,
        ServerUrl.parse(connection.server()),
        InetAddress.getLoopbackAddress(),
        patience,
        new AnswerGuard(wait -> {}));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

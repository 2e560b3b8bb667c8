package dev.fairlead.kernel.egress;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/**
 * An HTTPS server on loopback, known as {@code cluster.example}, that answers as its test specifies
 * and records the requests.
 */
public class FakeHttps implements AutoCloseable {
  private final HttpsServer server;
  private final String authority;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();

  /** Response to a request. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange, int number) throws IOException;
  }

  /**
   * @param answer gets the exchange and the number of earlier requests
   */
  public FakeHttps(Answer answer) {
    this(answer, TestIdentity.server(), TestIdentity.certificate());
  }

  /**
   * @param tls with a certificate that {@code authority} signed
   */
  protected FakeHttps(Answer answer, SSLContext tls, String authority) {
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

  /** Never answers, until the server is closed. */
  public static Answer hangs() {
    CountDownLatch never = new CountDownLatch(1);
    return (exchange, n) -> {
      try {
        never.await();
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    };
  }

  public static void send(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** The requests so far. Later requests do not change the list. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  /** The authorizations of the requests until now. */
  public List<String> authorizations() {
    return List.copyOf(authorizations);
  }

  /** Address of the server, without a trailing slash. */
  public String url() {
    return url("cluster.example");
  }

  public String url(String host) {
    return "https://" + host + ":" + server.getAddress().getPort();
  }

  /** Base64 of the PEM certificate of its authority. */
  public String caData() {
    return authority;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

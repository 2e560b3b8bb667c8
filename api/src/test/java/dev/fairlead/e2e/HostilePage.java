package dev.fairlead.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The server of a page that attacks a service on its reader's machine, and an unprotected service
 * as its target. A request to {@code /api} is forwarded unchanged, as if the name had been rebound
 * to another address after the page was loaded.
 */
final class HostilePage implements AutoCloseable {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int PATIENCE_SECONDS = 60;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final BlockingQueue<JsonNode> reports = new ArrayBlockingQueue<>(1);
  private final Queue<String> arrived = new ConcurrentLinkedQueue<>();
  private final HttpServer server;
  private final HttpServer unprotected;
  private final String rebound;

  /**
   * Requests of the rebound name are forwarded to {@code rebound}, such as http://127.0.0.1:8080.
   */
  HostilePage(String rebound) {
    this.rebound = rebound;
    server = listen();
    server.createContext("/page", this::page);
    server.createContext("/report", this::report);
    server.createContext("/api", this::handOn);
    unprotected = listen();
    unprotected.createContext("/", this::welcome);
    server.start();
    unprotected.start();
  }

  private HttpServer listen() {
    try {
      HttpServer made =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      made.setExecutor(threads);
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** The base address of the unprotected service. */
  String unprotected() {
    return "http://127.0.0.1:" + unprotected.getAddress().getPort();
  }

  /** The requests that reached the service without protection, as {@code METHOD path}. */
  List<String> arrived() {
    return List.copyOf(arrived);
  }

  /** Responses that the page could read, by method. Waits for the result. */
  JsonNode awaitReport() {
    try {
      JsonNode report = reports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (report == null) {
        throw new IllegalStateException("the page reported nothing");
      }
      return report;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void page(HttpExchange exchange) throws IOException {
    try (InputStream page = HostilePage.class.getResourceAsStream("hostile-page.html")) {
      answer(exchange, "text/html", page.readAllBytes());
    }
  }

  private void report(HttpExchange exchange) throws IOException {
    reports.add(MAPPER.readTree(exchange.getRequestBody().readAllBytes()));
    answer(exchange, "text/plain", new byte[0]);
  }

  private void welcome(HttpExchange exchange) throws IOException {
    arrived.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
    answer(exchange, "application/json", "{}".getBytes(StandardCharsets.UTF_8));
  }

  private void handOn(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    StringBuilder request = new StringBuilder();
    request.append(exchange.getRequestMethod()).append(' ').append(exchange.getRequestURI());
    request.append(" HTTP/1.1\r\nConnection: close\r\n");
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> {
          if (!name.equalsIgnoreCase("Connection")) {
            values.forEach(value -> request.append(name + ": " + value + "\r\n"));
          }
        });
    request.append("\r\n").append(new String(body, StandardCharsets.ISO_8859_1));
    Http.Answer answer = RawHttp.exchange(rebound, request.toString());
    byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.header("Content-Type"));
    exchange.sendResponseHeaders(answer.status(), text.length == 0 ? -1 : text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  private static void answer(HttpExchange exchange, String type, byte[] body) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    unprotected.stop(0);
    threads.close();
  }
}

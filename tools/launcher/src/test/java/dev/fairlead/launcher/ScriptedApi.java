package dev.fairlead.launcher;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;

/** An HTTP server on loopback with prepared responses that records its requests. */
public final class ScriptedApi implements AutoCloseable {
  /** {@code METHOD path?query} in order, followed by {@code in TENANT} if the header is sent. */
  public final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  private final HttpServer server;

  /** Response to a request. */
  public record Answer(int status, String body) {
    public static Answer ok(String body) {
      return new Answer(200, body);
    }
  }

  public ScriptedApi(Function<String, Answer> script) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    server.createContext("/", exchange -> answer(exchange, script));
    server.start();
  }

  private void answer(HttpExchange exchange, Function<String, Answer> script) throws IOException {
    String tenant = exchange.getRequestHeaders().getFirst("Fairlead-Tenant");
    String request =
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestURI()
            + (tenant == null ? "" : " in " + tenant);
    requests.add(request);
    exchange.getRequestBody().readAllBytes();
    Answer answer = script.apply(request);
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  public FairleadApi client() {
    return new FairleadApi(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), null);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

package dev.fairlead.work.workload.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/** Lists in pages like an API server: of the requested size, or all at once. */
final class FakePages {
  private FakePages() {}

  /**
   * The requested page of a list. No more than one object is held.
   *
   * @param size size of the list
   * @param object object at each place, as JSON
   */
  static void send(HttpExchange exchange, int size, IntFunction<String> object) throws IOException {
    String query = "&" + exchange.getRequestURI().getQuery();
    int from = number(query, "continue", 0);
    int to = Math.min(size, from + number(query, "limit", size));
    String end = "]}";
    String list = LyingApiServer.list(to < size ? Integer.toString(to) : "", "");
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    OutputStream body = exchange.getResponseBody();
    write(body, list.substring(0, list.length() - end.length()));
    for (int i = from; i < to; i++) {
      write(body, (i == from ? "" : ",") + object.apply(i));
    }
    write(body, end);
  }

  private static void write(OutputStream body, String text) throws IOException {
    body.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static int number(String query, String name, int otherwise) {
    String found = query.replaceAll(".*&" + name + "=([0-9]*).*", "$1");
    return found.equals(query) || found.isEmpty() ? otherwise : Integer.parseInt(found);
  }
}

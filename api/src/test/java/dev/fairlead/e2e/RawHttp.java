package dev.fairlead.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Requests as bytes on a socket, for requests that no client library would send. */
final class RawHttp {
  private static final int TIMEOUT_MILLIS = 60_000;

  private RawHttp() {}

  static Http.Answer send(String base, String method, String path) {
    return send(base, method, path, "Host: localhost\r\n");
  }

  static Http.Answer send(String base, String method, String path, String headers) {
    return exchange(
        base, method + " " + path + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n");
  }

  static Http.Answer exchange(String base, String request) {
    URI server = URI.create(base);
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      return answer(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Http.Answer answer(String text) {
    int end = text.indexOf("\r\n\r\n");
    String[] lines = text.substring(0, end).split("\r\n");
    Map<String, String> headers = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      headers.put(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
          lines[i].substring(colon + 1).strip());
    }
    return new Http.Answer(
        Integer.parseInt(lines[0].split(" ")[1]), headers, text.substring(end + 4));
  }
}

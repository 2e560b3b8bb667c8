package dev.fairlead.e2e;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests to hosts that have no name in DNS, as a browser sends them: each on one connection. */
final class RawBrowser {
  private static final int SILENCE_MILLIS = 30_000;
  private final int port;
  private final String host;

  RawBrowser(String base, String host) {
    port = URI.create(base).getPort();
    this.host = host;
  }

  record Answer(int status, String head, String body) {
    String header(String name) {
      return head.lines()
          .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith(name + ": "))
          .map(line -> line.substring(name.length() + 2))
          .findFirst()
          .orElse("");
    }
  }

  Answer get(String path, String... headers) {
    return send("GET", path, "", headers);
  }

  Answer send(String method, String path, String body, String... headers) {
    try (Socket socket = socket()) {
      List<String> all = new ArrayList<>(List.of(headers));
      all.add("Connection: close");
      if (!body.isEmpty()) {
        all.add("Content-Length: " + body.length());
      }
      write(socket, method, path, all, body);
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      int end = text.indexOf("\r\n\r\n");
      int status = Integer.parseInt(text.substring(9, 12));
      return new Answer(status, text.substring(0, end), text.substring(end + 4));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private Socket socket() throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(SILENCE_MILLIS);
    return socket;
  }

  private void write(Socket to, String method, String path, List<String> headers, String body)
      throws IOException {
    String lines = headers.isEmpty() ? "" : String.join("\r\n", headers) + "\r\n";
    String text =
        method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + lines + "\r\n" + body;
    to.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** An open WebSocket. */
  final class Page implements AutoCloseable {
    private final Socket socket;
    private final int status;

    private Page(Socket socket, int status) {
      this.socket = socket;
      this.status = status;
    }

    int status() {
      return status;
    }

    /** Sends a short text in a masked frame, and returns the text of the next frame. */
    String echo(String text) throws IOException {
      byte[] data = text.getBytes(StandardCharsets.US_ASCII);
      ByteArrayOutputStream frame = new ByteArrayOutputStream();
      frame.writeBytes(new byte[] {(byte) 0x81, (byte) (0x80 | data.length), 1, 2, 3, 4});
      for (int i = 0; i < data.length; i++) {
        frame.write(data[i] ^ (i % 4 + 1));
      }
      socket.getOutputStream().write(frame.toByteArray());
      InputStream from = socket.getInputStream();
      byte[] head = from.readNBytes(2);
      return new String(from.readNBytes(head[1]), StandardCharsets.US_ASCII);
    }

    /** Returns whether the connection has been closed from the other side. */
    boolean closed() {
      try {
        return socket.getInputStream().read() < 0;
      } catch (IOException reset) {
        return true;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Opens a WebSocket, or receives its refusal. */
  Page page(String path, String... headers) throws IOException {
    Socket socket = socket();
    List<String> all = new ArrayList<>(List.of(headers));
    all.addAll(
        List.of(
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="));
    write(socket, "GET", path, all, "");
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      head.append((char) socket.getInputStream().read());
    }
    return new Page(socket, Integer.parseInt(head.substring(9, 12)));
  }
}

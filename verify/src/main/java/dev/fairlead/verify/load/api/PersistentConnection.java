package dev.fairlead.verify.load.api;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One connection of HTTP/1.1. Responses are read but not parsed, so clients use little CPU compared
 * with the service.
 */
final class PersistentConnection {
  private final String head;
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private boolean open = true;

  PersistentConnection(URI service) throws IOException {
    this.socket = new Socket(service.getHost(), service.getPort());
    socket.setTcpNoDelay(true);
    this.head = " HTTP/1.1\r\nHost: " + service.getAuthority() + "\r\n\r\n";
    this.in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
    this.out = socket.getOutputStream();
  }

  /**
   * Returns whether the connection accepts another request. A server closes a connection after a
   * number of requests.
   */
  boolean open() {
    return open;
  }

  /** Reads the whole response and returns its status. */
  int get(String path) throws IOException {
    out.write(("GET " + path + head).getBytes(StandardCharsets.US_ASCII));
    int status = Integer.parseInt(line().substring(9, 12));
    long length = -1;
    for (String header = line(); !header.isEmpty(); header = line()) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Long.parseLong(header.substring(15).strip());
      }
      open &= !lower.equals("connection: close");
    }
    if (length >= 0) {
      in.skipNBytes(length);
    } else {
      pieces();
    }
    if (!open) {
      socket.close();
    }
    return status;
  }

  private void pieces() throws IOException {
    int size = Integer.parseInt(line(), 16);
    while (size > 0) {
      in.skipNBytes(size);
      line();
      size = Integer.parseInt(line(), 16);
    }
    line();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the service closed the connection");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }
}

package dev.fairlead.e2e;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Connections on which a request has begun and does not continue. */
final class HeldSockets implements AutoCloseable {
  private final List<Socket> sockets = new ArrayList<>();

  static HeldSockets open(String base, int count, String begun) throws IOException {
    URI server = URI.create(base);
    HeldSockets held = new HeldSockets();
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket(server.getHost(), server.getPort());
      held.sockets.add(socket);
      socket.getOutputStream().write(begun.getBytes(StandardCharsets.ISO_8859_1));
    }
    return held;
  }

  int count() {
    return sockets.size();
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

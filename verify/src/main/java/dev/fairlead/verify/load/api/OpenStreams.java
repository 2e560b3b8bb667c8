package dev.fairlead.verify.load.api;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Event streams of a service, each with a separate socket and a virtual thread that counts its
 * events. Nothing is parsed, so that many readers use little CPU compared with the service.
 */
final class OpenStreams implements AutoCloseable {
  private static final byte[] EVENT = "\ndata: {".getBytes(StandardCharsets.US_ASCII);
  private static final long OPENING_SECONDS = 60;
  private final List<Socket> sockets = new ArrayList<>();
  private final List<AtomicLong> counts = new ArrayList<>();
  private final CountDownLatch open;

  private OpenStreams(int streams) {
    this.open = new CountDownLatch(streams);
  }

  /** Returns when each stream has its first bytes. */
  static OpenStreams open(URI service, String path, int streams)
      throws IOException, InterruptedException {
    OpenStreams all = new OpenStreams(streams);
    for (int i = 0; i < streams; i++) {
      all.add(service, path);
    }
    if (!all.open.await(OPENING_SECONDS, TimeUnit.SECONDS)) {
      all.close();
      throw new IllegalStateException(
          all.open.getCount() + " of " + streams + " streams did not open");
    }
    return all;
  }

  private void add(URI service, String path) throws IOException {
    Socket socket = new Socket(service.getHost(), service.getPort());
    String request =
        "GET " + path + " HTTP/1.1\r\nHost: " + service.getAuthority() + "\r\nAccept: */*\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    AtomicLong count = new AtomicLong();
    sockets.add(socket);
    counts.add(count);
    Thread.startVirtualThread(() -> read(socket, count));
  }

  /** Ends when either side closes the socket. */
  private void read(Socket socket, AtomicLong count) {
    byte[] bytes = new byte[8192];
    int matched = 0;
    boolean first = true;
    try (InputStream in = socket.getInputStream()) {
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        for (int i = 0; i < read; i++) {
          matched = bytes[i] == EVENT[matched] ? matched + 1 : bytes[i] == EVENT[0] ? 1 : 0;
          if (matched == EVENT.length) {
            count.incrementAndGet();
            matched = 0;
          }
        }
        if (first) {
          open.countDown();
          first = false;
        }
      }
    } catch (IOException closed) { // counted until its end
    }
  }

  /** Number of events of the slowest stream. */
  long least() {
    return counts.stream().mapToLong(AtomicLong::get).min().orElse(0);
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}

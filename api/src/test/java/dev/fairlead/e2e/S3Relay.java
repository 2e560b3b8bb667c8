package dev.fairlead.e2e;

import static org.awaitility.Awaitility.await;

import dev.fairlead.work.log.S3Server;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Forwards calls from other addresses of this machine to the tests' S3 server, which listens on
 * 127.0.0.1 only, records the calls, and delays some on request.
 */
final class S3Relay implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final int BACKLOG = 50;

  /**
   * The requests to the server.
   *
   * @param path with the query
   */
  record Call(String method, String path) {
    boolean part(String of) {
      return method.equals(of) && path.contains("/parts/");
    }

    boolean manifest(String of) {
      return method.equals(of) && path.endsWith("/manifest");
    }
  }

  /** Kind of call to delay, after this many calls. */
  private static final class Gate {
    private final Predicate<Call> holds;
    private int free;
    private int held;

    Gate(Predicate<Call> holds, int free) {
      this.holds = holds;
      this.free = free;
    }
  }

  private final List<ServerSocket> doors = new ArrayList<>();
  private final URI server = URI.create(S3Server.get().endpoint());
  private final List<Call> passed = new ArrayList<>();
  private Gate gate = new Gate(_ -> false, 0);

  /** Listens on the same free port of each address. */
  S3Relay(List<String> addresses) {
    try {
      for (String address : addresses) {
        int port = doors.isEmpty() ? 0 : port();
        ServerSocket door = new ServerSocket(port, BACKLOG, InetAddress.getByName(address));
        doors.add(door);
        Thread.ofVirtual().start(() -> accept(door));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return doors.getFirst().getLocalPort();
  }

  /**
   * The first {@code free} calls of this kind pass and later ones wait. Calls held so far end with
   * their connections.
   */
  synchronized void hold(Predicate<Call> calls, int free) {
    gate = new Gate(calls, free);
    notifyAll();
  }

  /** All later calls pass. The connections of held calls end. */
  void holdNothing() {
    hold(_ -> false, 0);
  }

  /** A client with this many connections has received the response to each earlier call. */
  void awaitHeld(int calls) {
    await(calls + " calls are held").atMost(RealFairlead.PATIENCE).until(() -> held() == calls);
  }

  private synchronized int held() {
    return gate.held;
  }

  /** Paths of the calls that reached the server, in order. */
  synchronized List<String> passed(Predicate<Call> calls) {
    return passed.stream().filter(calls).map(Call::path).toList();
  }

  private synchronized boolean passes(Call call) throws InterruptedException {
    Gate at = gate;
    if (at.holds.test(call) && at.free-- <= 0) {
      at.held++;
      while (gate == at) {
        wait();
      }
      return false;
    }
    passed.add(call);
    return true;
  }

  private void accept(ServerSocket door) {
    try {
      while (true) {
        Socket client = door.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException closed) {
      end(door);
    }
  }

  private void serve(Socket client) {
    try (client;
        Socket there = new Socket(server.getHost(), server.getPort())) {
      Thread.ofVirtual().start(() -> answers(there, client));
      InputStream asked = client.getInputStream();
      for (String head = head(asked); !head.isEmpty(); head = head(asked)) {
        String[] words = head.split(" ", 3);
        if (!passes(new Call(words[0], words[1]))) {
          return;
        }
        OutputStream on = there.getOutputStream();
        on.write(head.getBytes(StandardCharsets.ISO_8859_1));
        copy(asked, on, length(head));
        on.flush();
      }
    } catch (IOException | InterruptedException ended) {
      // closes both connections
    }
  }

  private static void answers(Socket there, Socket client) {
    try {
      there.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException ended) {
      // closes both connections
    } finally {
      end(client);
    }
  }

  /** Request line and headers including the empty line, empty at the end. */
  private static String head(InputStream from) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    for (int last = 0, next = from.read(); next >= 0; next = from.read()) {
      head.write(next);
      last = last << 8 | next;
      if (last == 0x0d0a0d0a) {
        return head.toString(StandardCharsets.ISO_8859_1);
      }
    }
    return "";
  }

  private static long length(String head) {
    return head.lines()
        .map(line -> line.toLowerCase(Locale.ROOT))
        .filter(line -> line.startsWith("content-length:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElse(0);
  }

  private static void copy(InputStream from, OutputStream to, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = length;
    while (left > 0) {
      int read = from.read(buffer, 0, (int) Math.min(BUFFER, left));
      if (read < 0) {
        throw new IOException("the caller has gone");
      }
      to.write(buffer, 0, read);
      left -= read;
    }
  }

  private static void end(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    holdNothing();
    doors.forEach(S3Relay::end);
  }
}

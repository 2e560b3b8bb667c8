package dev.fairlead.e2e;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Forwards connections to a local port until it is cut, which ends open and new connections
 * immediately, or frozen, which neither passes data nor ends connections.
 */
final class CuttableProxy implements AutoCloseable {
  private final ServerSocket server;
  private volatile int target;
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
  private volatile boolean cut;
  private boolean frozen;

  private CuttableProxy(ServerSocket server, int target) {
    this.server = server;
    this.target = target;
  }

  static CuttableProxy to(int target) {
    try {
      return behind(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static CuttableProxy behind(ServerSocket door, int target) {
    CuttableProxy proxy = new CuttableProxy(door, target);
    Thread.ofVirtual().start(proxy::accept);
    return proxy;
  }

  /** New connections lead to this port. */
  void lead(int port) {
    target = port;
  }

  static CuttableProxy to(EmbeddedDatabase database) {
    return to(portOf(database));
  }

  private static int portOf(EmbeddedDatabase database) {
    return Integer.parseInt(database.url().replaceAll(".*:([0-9]+)/.*", "$1"));
  }

  int port() {
    return server.getLocalPort();
  }

  /** The address of the database through this proxy. */
  String url(EmbeddedDatabase database) {
    return database.url().replace(":" + portOf(database) + "/", ":" + port() + "/");
  }

  void cut() {
    cut = true;
    for (Socket socket = open.poll(); socket != null; socket = open.poll()) {
      end(socket);
    }
  }

  void restore() {
    cut = false;
  }

  synchronized void freeze() {
    frozen = true;
  }

  /** Held requests pass now. */
  synchronized void thaw() {
    frozen = false;
    notifyAll();
  }

  private synchronized void awaitThaw() throws InterruptedException {
    while (frozen) {
      wait();
    }
  }

  @Override
  public void close() {
    thaw();
    end(server);
    cut();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        if (cut) {
          end(client);
        } else {
          connect(client);
        }
      }
    } catch (IOException closed) {
      cut();
    }
  }

  /** A target that does not listen ends this connection only. */
  private void connect(Socket client) {
    Socket backend;
    try {
      backend = new Socket(InetAddress.getLoopbackAddress(), target);
    } catch (IOException refused) {
      end(client);
      return;
    }
    open.add(client);
    open.add(backend);
    if (cut) { // meanwhile
      cut();
    }
    Thread.ofVirtual().start(() -> pass(client, backend));
    Thread.ofVirtual().start(() -> pass(backend, client));
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try {
      for (int n = from.getInputStream().read(buffer);
          n >= 0;
          n = from.getInputStream().read(buffer)) {
        awaitThaw();
        to.getOutputStream().write(buffer, 0, n);
      }
    } catch (IOException | InterruptedException ended) {
      end(from);
    } finally {
      end(from);
      end(to);
    }
  }

  private static void end(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

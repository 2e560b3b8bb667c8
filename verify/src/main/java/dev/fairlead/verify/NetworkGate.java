package dev.fairlead.verify;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between the service and one port of this machine: it forwards everything, or is cut
 * (connections end immediately), or hangs (connections are accepted and nothing passes, as with a
 * half-open connection), or is slow.
 */
public final class NetworkGate implements AutoCloseable {
  private static final int BUFFER = 16 * 1024;
  private static final int SLOW_MILLIS = 200;
  private final ServerSocket server;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Object change = new Object();
  private State state = State.PASSING;
  private @Nullable Instant firstSince;

  /** Handling of bytes. */
  public enum State {
    PASSING,
    CUT,
    HANGING,
    SLOW
  }

  private NetworkGate(ServerSocket server, int target) {
    this.server = server;
    this.target = target;
  }

  public static NetworkGate to(int target) {
    try {
      NetworkGate gate =
          new NetworkGate(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
      Thread.ofVirtual().start(gate::accept);
      return gate;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  public void set(State next) {
    synchronized (change) {
      state = next;
      firstSince = null;
      change.notifyAll();
    }
    if (next == State.CUT) {
      endAll();
    }
  }

  /** Ends every open connection, including watches. New connections are accepted as before. */
  public void endAll() {
    open.forEach(NetworkGate::end);
  }

  /** Time of the first connection since the state was set, null until then. */
  public @Nullable Instant connectedSince() {
    synchronized (change) {
      return firstSince;
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        synchronized (change) {
          firstSince = firstSince == null ? Instant.now() : firstSince;
        }
        if (now() == State.CUT) {
          end(client);
        } else {
          Thread.ofVirtual().start(() -> connect(client));
        }
      }
    } catch (IOException closed) {
      set(State.CUT);
    }
  }

  private void connect(Socket client) {
    open.add(client);
    try {
      Socket backend = new Socket(InetAddress.getLoopbackAddress(), target);
      open.add(backend);
      Thread.ofVirtual().start(() -> pass(client, backend));
      Thread.ofVirtual().start(() -> pass(backend, client));
    } catch (IOException nobodyThere) {
      end(client);
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        awaitPassage();
        out.write(buffer, 0, read);
      }
    } catch (IOException ended) {
      end(from);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      end(from);
      end(to);
      open.remove(from);
      open.remove(to);
    }
  }

  private State now() {
    synchronized (change) {
      return state;
    }
  }

  private void awaitPassage() throws InterruptedException {
    synchronized (change) {
      while (state == State.HANGING) {
        change.wait();
      }
    }
    if (now() == State.SLOW) {
      Thread.sleep(SLOW_MILLIS);
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
    end(server);
    set(State.CUT);
  }
}

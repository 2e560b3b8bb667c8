package dev.fairlead.work.serving.gate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a client. Tomcat notices the end of a connection only when it reads or writes,
 * so {@link #left} reads ahead up to a limit. Later reads get these bytes first.
 */
final class ClientChannel extends NioChannel {
  /**
   * Maximum number of bytes that are read ahead. The end of a connection after more bytes is not
   * noticed.
   */
  static final int MOST_AHEAD = 64 * 1024;

  private final Map<String, ClientChannel> open;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable ByteBuffer ahead;
  private boolean ended;
  private String id = "";

  /**
   * @param open the open channels by the id of their connection
   */
  ClientChannel(SocketBufferHandler buffer, Map<String, ClientChannel> open) {
    super(buffer);
    this.open = open;
  }

  /** Tomcat reuses a closed channel for another connection. */
  @Override
  public void reset(SocketChannel channel, NioEndpoint.NioSocketWrapper socket) throws IOException {
    lock.lock();
    try {
      super.reset(channel, socket);
      ahead = null;
      ended = false;
      id = socket.getServletConnection("", "").getConnectionId();
      open.put(id, this);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    open.remove(id, this);
    super.close();
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    lock.lock();
    try {
      ByteBuffer first = ahead;
      if (first == null) {
        return ended ? -1 : super.read(into);
      }
      int count = Math.min(first.remaining(), into.remaining());
      into.put(first.slice(first.position(), count));
      first.position(first.position() + count);
      ahead = first.hasRemaining() ? first : null;
      return count;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether the client has closed its side. Call it only while nothing waits for bytes of
   * this connection, because it takes them from the socket.
   */
  boolean left() {
    lock.lock();
    try {
      ByteBuffer more = ByteBuffer.allocate(1);
      while (!ended && held() < MOST_AHEAD) {
        int count = super.read(more);
        if (count == 0) {
          return false;
        }
        ended = count < 0;
        more = added(more.flip());
      }
    } catch (IOException broken) {
      ended = true;
    } finally {
      lock.unlock();
    }
    return ended;
  }

  private int held() {
    return ahead == null ? 0 : ahead.remaining();
  }

  /** Stores the bytes and returns an empty buffer for the remaining read-ahead limit. */
  private ByteBuffer added(ByteBuffer more) {
    ByteBuffer all = ByteBuffer.allocate(held() + more.remaining());
    if (ahead != null) {
      all.put(ahead);
    }
    all.put(more).flip();
    ahead = all.hasRemaining() ? all : null;
    return ByteBuffer.allocate(Math.max(1, MOST_AHEAD - held()));
  }
}

package dev.fairlead.kernel.egress;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A socket that connects to one checked address, regardless of what its name resolves to later. No
 * operation waits beyond the deadline, even if bytes arrive slowly. A write has no timeout, so the
 * socket is closed at the deadline.
 */
final class PinnedSocket extends Socket {
  private final InetAddress address;
  private volatile long untilNanos;

  /**
   * @param untilNanos deadline by {@link System#nanoTime}
   */
  PinnedSocket(InetAddress address, long untilNanos) {
    this.address = address;
    this.untilNanos = untilNanos;
  }

  /** Sets another deadline, not before the current one. */
  void until(long nanos) {
    untilNanos = nanos;
  }

  @Override
  public void connect(SocketAddress wanted, int timeoutMillis) throws IOException {
    int port = ((InetSocketAddress) wanted).getPort();
    super.connect(new InetSocketAddress(address, port), millisLeft());
    closeWhenLate();
  }

  private void closeWhenLate() {
    long left = untilNanos - System.nanoTime();
    if (left <= 0) {
      closeQuietly();
    } else if (!isClosed()) {
      CompletableFuture.delayedExecutor(left, TimeUnit.NANOSECONDS).execute(this::closeWhenLate);
    }
  }

  void closeQuietly() {
    try {
      close();
    } catch (IOException closed) { // it ends either way
    }
  }

  private int millisLeft() throws SocketTimeoutException {
    long left = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
    if (left <= 0) {
      throw new SocketTimeoutException("not answered in time");
    }
    return Math.toIntExact(left);
  }

  @Override
  public InputStream getInputStream() throws IOException {
    return new FilterInputStream(super.getInputStream()) {
      @Override
      public int read() throws IOException {
        setSoTimeout(millisLeft());
        return in.read();
      }

      @Override
      public int read(byte[] into, int from, int most) throws IOException {
        setSoTimeout(millisLeft());
        return in.read(into, from, most);
      }
    };
  }
}

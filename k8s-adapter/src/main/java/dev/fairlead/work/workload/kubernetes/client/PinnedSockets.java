package dev.fairlead.work.workload.kubernetes.client;

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
import javax.net.ssl.SSLSocketFactory;

/**
 * Sockets of one call. They connect to one checked address, regardless of what the name resolves to
 * later, while TLS and the request use the host name. No operation waits beyond the call's
 * deadline, however slowly bytes arrive. A write has no timeout, so the socket is closed at the
 * deadline.
 */
final class PinnedSockets extends SSLSocketFactory {
  private final SSLSocketFactory tls;
  private final InetAddress address;
  private final long untilNanos;

  PinnedSockets(SSLSocketFactory tls, InetAddress address, long untilNanos) {
    this.tls = tls;
    this.address = address;
    this.untilNanos = untilNanos;
  }

  @Override
  public Socket createSocket() {
    return new Pinned();
  }

  @Override
  public Socket createSocket(Socket connected, String host, int port, boolean closes)
      throws IOException {
    return tls.createSocket(connected, host, port, closes);
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    throw unpinned();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress from, int localPort)
      throws IOException {
    throw unpinned();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    throw unpinned();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress from, int localPort)
      throws IOException {
    throw unpinned();
  }

  private static IOException unpinned() {
    return new IOException("only the checked address is connected to");
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return tls.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return tls.getSupportedCipherSuites();
  }

  private int millisLeft() throws SocketTimeoutException {
    long left = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
    if (left <= 0) {
      throw new SocketTimeoutException("not answered in time");
    }
    return Math.toIntExact(left);
  }

  private final class Pinned extends Socket {
    @Override
    public void connect(SocketAddress wanted, int timeoutMillis) throws IOException {
      int port = ((InetSocketAddress) wanted).getPort();
      super.connect(new InetSocketAddress(address, port), millisLeft());
      CompletableFuture.delayedExecutor(millisLeft(), TimeUnit.MILLISECONDS)
          .execute(this::closeQuietly);
    }

    private void closeQuietly() {
      try {
        close();
      } catch (IOException closed) { // it ends either way
      }
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
}

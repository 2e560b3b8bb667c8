package dev.fairlead.kernel.egress;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sockets of one call, each a {@link PinnedSocket} to its checked address. TLS and the request use
 * the host name.
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
    return new PinnedSocket(address, untilNanos);
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
    return new IOException("connections are made only to the checked address");
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return tls.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return tls.getSupportedCipherSuites();
  }
}

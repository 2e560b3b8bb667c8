package dev.fairlead.kernel.egress;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A TLS connection to a checked address that sends one POST after another, from one thread. */
final class PostConnection {
  private static final int BUFFER = 1_024;

  private final PinnedSocket socket;
  private final InputStream in;
  private final OutputStream out;
  private boolean used;
  private boolean answering;

  private PostConnection(PinnedSocket socket, SSLSocket tls) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(tls.getInputStream(), BUFFER);
    this.out = tls.getOutputStream();
  }

  /**
   * Connects.
   *
   * @param host name in the accepted certificate
   * @param untilNanos deadline by {@link System#nanoTime}
   */
  static PostConnection open(
      SSLContext context, String host, int port, InetAddress address, long untilNanos)
      throws IOException {
    PinnedSocket socket = new PinnedSocket(address, untilNanos);
    try {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(address, port), 0);
      SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      tls.setSSLParameters(parameters);
      tls.startHandshake();
      return new PostConnection(socket, tls);
    } catch (IOException | RuntimeException failed) {
      socket.closeQuietly();
      throw failed;
    }
  }

  /**
   * Sends a request and reads the beginning of its response.
   *
   * @param untilNanos deadline, not before that of the previous request
   * @param most maximum number of bytes that are read of the body
   */
  HttpAnswer post(byte[] request, long untilNanos, int most) throws IOException {
    socket.until(untilNanos);
    answering = false;
    out.write(request);
    out.flush();
    in.mark(1);
    if (in.read() < 0) {
      throw new IOException("the receiver closed the connection before it answered");
    }
    answering = true;
    in.reset();
    HttpAnswer answer = HttpAnswer.read(in, most);
    used = true;
    return answer;
  }

  /**
   * Returns whether a failed request may have met a connection that the receiver had closed after
   * an earlier request.
   */
  boolean wasStale() {
    return used && !answering;
  }

  /** Waits for another request until the deadline, and closes then. */
  void rest(long untilNanos) {
    socket.until(untilNanos);
  }

  boolean open() {
    return !socket.isClosed();
  }

  /**
   * Returns whether the connection is open and the receiver has sent nothing since the last
   * response. Bytes that arrive without a request announce a close, or are a response that would be
   * mistaken for the response to the next request.
   */
  boolean silent() {
    try {
      return open() && in.available() == 0 && socket.getInputStream().available() == 0;
    } catch (IOException closed) {
      return false;
    }
  }

  /** Closes without the farewell of TLS, which might wait for the receiver. */
  void close() {
    socket.closeQuietly();
  }
}

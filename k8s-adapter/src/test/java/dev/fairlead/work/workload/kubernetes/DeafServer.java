package dev.fairlead.work.workload.kubernetes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** Opens one web socket and then reads nothing. */
public final class DeafServer implements AutoCloseable {
  private final ServerSocket server = new ServerSocket();
  private final CompletableFuture<Socket> opened = new CompletableFuture<>();

  public DeafServer() throws IOException {
    server.setReceiveBufferSize(4096);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread _ =
        Thread.ofVirtual()
            .start(() -> {
              try {
                Socket connection = server.accept();
                opens(connection);
                opened.complete(connection);
              } catch (Exception failed) {
                opened.completeExceptionally(failed);
              }
            });
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Sends bytes as they are. */
  public void send(byte[] bytes) throws IOException {
    opened.join().getOutputStream().write(bytes);
  }

  private static void opens(Socket connection) throws Exception {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
    String key = "";
    for (String line = lines.readLine(); !line.isEmpty(); line = lines.readLine()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("sec-websocket-key:")) {
        key = line.substring(line.indexOf(':') + 1).strip();
      }
    }
    byte[] accept =
        MessageDigest.getInstance("SHA-1")
            .digest(
                (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII));
    String answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\nSec-WebSocket-Accept: "
            + Base64.getEncoder().encodeToString(accept)
            + "\r\n\r\n";
    connection.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    server.close();
    opened.join().close();
  }
}

package dev.fairlead.kernel.egress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls to a real receiver that reuses or closes its connections. */
class HttpsPoolTest {
  private static final String CLOSES = "closes";
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicReference<String> address = new AtomicReference<>("127.0.0.1");

  /** Responses of each connection in turn. After them it closes. */
  private volatile List<String> responses = Collections.nCopies(100, ok());

  /** Bytes that the receiver sends after the caller has read a response. */
  private volatile String unrequested = "";

  /** The caller and the receiver, before and after these bytes. */
  private final CyclicBarrier turns = new CyclicBarrier(2);

  /** Requests that wait for each other before their responses. */
  private volatile CyclicBarrier together = new CyclicBarrier(1);

  private ServerSocket server;
  private HttpsPool https;

  private static String ok() {
    return "HTTP/1.1 204 No Content\r\n\r\n";
  }

  @BeforeEach
  void aReceiver() throws IOException {
    server =
        TestIdentity.server()
            .getServerSocketFactory()
            .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread _ = Thread.ofVirtual().start(this::accept);
    https =
        new HttpsPool(
            new EgressPolicy(
                List.of(Cidr.parse("127.0.0.1/32")),
                host -> List.of(InetAddress.ofLiteral(address.get()))),
            Duration.ofSeconds(30),
            10);
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connections.incrementAndGet();
        Thread _ = Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException closed) { // by the test
    }
  }

  private void serve(Socket socket) {
    try (socket;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))) {
      OutputStream out = socket.getOutputStream();
      for (String response : responses) {
        String line = in.readLine();
        while (line != null && !line.isEmpty()) {
          line = in.readLine();
        }
        if (in.read() < 0) { // the body
          return;
        }
        requests.incrementAndGet();
        together.await();
        if (response.equals(CLOSES)) {
          return;
        }
        out.write(response.getBytes(UTF_8));
        if (!unrequested.isEmpty()) {
          int _ = turns.await();
          out.write(unrequested.getBytes(UTF_8));
          int _ = turns.await();
        }
      }
    } catch (IOException closed) { // by the caller
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
  }

  private int post()
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    return https
        .post(
            "https://cluster.example:" + server.getLocalPort() + "/hook",
            TestIdentity.certificate(),
            Collections.emptySortedMap(),
            "x".getBytes(UTF_8))
        .status();
  }

  /** Fails when each call has a TLS handshake. */
  @Test
  void manyCallsUseOneConnection() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(post()).isEqualTo(204);
    }

    assertThat(connections).hasValue(1);
    assertThat(requests).hasValue(5);
  }

  /** Fails when most of the webhooks of one host connect again for each event. */
  @Test
  void concurrentCallsToOneHostReuseTheirConnections() throws Exception {
    together = new CyclicBarrier(9);
    for (int i = 0; i < 3; i++) {
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        Callable<Integer> post = this::post;
        for (Future<Integer> call : threads.invokeAll(Collections.nCopies(9, post))) {
          assertThat(call.get()).isEqualTo(204);
        }
      }
    }

    assertThat(connections).hasValue(9);
  }

  /** Fails when a call counts as failed because the receiver closed the connection before it. */
  @Test
  void aConnectionThatTheReceiverClosedIsReplaced() throws Exception {
    responses = List.of(ok());
    for (int i = 0; i < 3; i++) {
      assertThat(post()).isEqualTo(204);
    }

    assertThat(connections).hasValue(3);
    assertThat(requests).hasValue(3);
  }

  /** Fails when a receiver that never answers gets an event more than twice. */
  @Test
  void callIsRetriedOnceOnANewConnectionOnly() throws Exception {
    responses = List.of(ok(), CLOSES);
    assertThat(post()).isEqualTo(204);
    assertThat(post()).as("by a new connection").isEqualTo(204);
    assertThat(requests).hasValue(3);

    responses = List.of(CLOSES);
    assertThatIOException().isThrownBy(this::post);
    assertThat(requests).as("the rested connection, and a new one").hasValue(5);
    assertThatIOException().isThrownBy(this::post);
    assertThat(requests).hasValue(6);
  }

  /** Fails when the rest of a long response is mistaken for the response to the next call. */
  @Test
  void partiallyReadResponseClosesTheConnection() throws Exception {
    responses =
        Collections.nCopies(
            9, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n" + "HTTP/1.1 500\r\n".repeat(4));
    assertThat(post()).isEqualTo(200);
    assertThat(post()).isEqualTo(200);

    assertThat(connections).hasValue(2);
  }

  /** Fails when bytes that nobody requested are mistaken for the response to the next call. */
  @Test
  @Timeout(60)
  void aConnectionWithBytesAfterTheResponseIsReplaced() throws Exception {
    unrequested = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
    for (int i = 0; i < 3; i++) {
      assertThat(post()).isEqualTo(204);
      int _ = turns.await();
      int _ = turns.await();
      awaitUnreadBytes();
    }

    assertThat(connections).hasValue(3);
    assertThat(requests).hasValue(3);
  }

  /** Waits until the kernel has delivered bytes that the caller has not read. */
  private void awaitUnreadBytes() throws IOException {
    assumeThat(Path.of("/proc/net/tcp6")).as("needs the socket table of Linux").exists();
    Pattern unread = Pattern.compile(":%04X 01 \\w{8}:(?!0{8})".formatted(server.getLocalPort()));
    while (!unread.matcher(Files.readString(Path.of("/proc/net/tcp"))).find()
        && !unread.matcher(Files.readString(Path.of("/proc/net/tcp6"))).find()) {
      Thread.onSpinWait();
    }
  }

  /** Fails when a name that leads to another address later is called by its old connection. */
  @Test
  void theAddressIsCheckedForEachCall() throws Exception {
    assertThat(post()).isEqualTo(204);
    address.set("10.0.0.1");
    assertThatExceptionOfType(EgressPolicy.Refused.class).isThrownBy(this::post);
    address.set("127.0.0.1");
    assertThat(post()).isEqualTo(204);

    assertThat(connections).hasValue(1);
  }
}

package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients that leave or stop, and replicas that are silent, hold no place in the gate. */
class GateClientsTest extends GateScene {
  /** Fails when a replica continues to compute for a client that has left. */
  @Test
  void clientThatDisconnectsEndsTheCallToTheReplica() throws Exception {
    CountDownLatch ended = answersWithoutEnd();
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    inside(0);
  }

  /** Fails when a client that stops sending holds its slot forever. */
  @Test
  void clientThatStopsSendingLosesItsSlot() throws Exception {
    opens(4, Duration.ofSeconds(30), Duration.ofMillis(200));
    isReady();
    try (Socket socket = connected()) {
      send(socket, request("POST /", "Content-Length: 100\r\n", "half"));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 408")
          .doesNotContain("Tomcat/", "Exception");
      inside(0);
    }
  }

  /** Fails when a client that reads nothing holds its slot and its replica forever. */
  @Test
  void clientThatReadsNothingLosesItsSlot() throws Exception {
    opens(4, Duration.ofSeconds(30), Duration.ofMillis(200));
    CountDownLatch ended = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      try {
        while (true) {
          exchange.getResponseBody().write(new byte[65536]);
        }
      } catch (IOException broken) {
        ended.countDown();
      }
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
      inside(0);
    }
  }

  /** A request with a body whose client closes its connection while the request waits. */
  private void leavesAfter(String body) throws IOException {
    try (Socket socket = connected()) {
      send(socket, post(body));
      inside(1);
    }
  }

  /** Fails when a disconnected client holds its slot until the start of a replica. */
  @Test
  void clientThatDisconnectsWhileItWaitsFreesItsSlot() throws Exception {
    for (String body : List.of("", "hello", "x".repeat(LONGEST_BODY))) {
      leavesAfter(body);
      inside(0);
    }
    isReady();
    assertThat(answer(post("hello"))).startsWith("HTTP/1.1 201").endsWith("hello");
    assertThat(calls).hasValue(1);
  }

  /** Fails when read-ahead loses bytes of a body or of the next request. */
  @Test
  void waitingRequestRetainsItsBodyAndTheNextPipelinedRequest() throws Exception {
    String next = request("GET /next", "", "");
    try (Socket socket = connected()) {
      send(socket, post("").replace("close", "keep-alive").replace("h: 0", "h: 8"));
      inside(1);
      room.look();
      send(socket, "half");
      room.look();
      send(socket, "body" + next);
      room.look();
      isReady();
      String both = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(both).contains("POST /v1/chat?n=%20x halfbody").endsWith("GET /next ");
    }
    assertThat(calls).hasValue(2);
  }

  /** Fails when a replica continues to compute for a client that left before the response. */
  @Test
  void clientThatDisconnectsBeforeTheResponseFreesItsSlot() throws Exception {
    CountDownLatch computes = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    answersOnly(exchange -> {
      computes.countDown();
      end.await();
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      assertThat(computes.await(10, TimeUnit.SECONDS)).isTrue();
    }
    inside(0);
    end.countDown();
  }

  /** Fails when a replica that stalls in the middle of a response holds a slot forever. */
  @Test
  void aSilentStreamIsCutOff() throws Exception {
    opens(4, Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofMillis(500));
    CountDownLatch end = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write("data: one\n\n".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      end.await();
    });
    isReady();
    assertThat(answer(post("hello"))).contains("data: one").doesNotEndWith("0\r\n\r\n");
    inside(0);
    end.countDown();
  }

  /** Fails when a client that only receives gets an empty response with success. */
  @Test
  void clientThatHalfClosesItsConnectionIsAnswered() throws Exception {
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 499")
          .contains("closed its side");
    }
    inside(0);
    assertThat(calls).hasValue(0);
  }

  /** Fails when a client that still receives mistakes a truncated response for a complete one. */
  @Test
  void abortedStreamLooksIncompleteToAHalfClosedClient() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write("data: one\n\n".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      end.await();
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("Transfer-Encoding: chunked")
          .doesNotEndWith("0\r\n\r\n");
    }
    end.countDown();
  }

  /** Fails when a slot is held forever after a write has ignored the first interruption. */
  @Test
  void slotIsInterruptedUntilItIsClosed() {
    RequestBody body = new RequestBody(InputStream.nullInputStream(), 0, LONGEST_BODY, () -> true);
    Place place = new Place(body, closed -> {});
    for (int look = 0; look < 3; look++) {
      place.look(Duration.ofMinutes(5));
      assertThat(Thread.interrupted()).isTrue();
    }
    place.look(Duration.ofMinutes(5));
    place.close();
    place.look(Duration.ofMinutes(5));
    assertThat(Thread.interrupted()).isFalse();
  }
}

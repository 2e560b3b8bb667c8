package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests at the gate, and the responses of replicas. */
class GateTest extends GateScene {
  @Test
  void aRequestWaitsUntilAReplicaIsReady() throws Exception {
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    sleeps();
    assertThat(calls).hasValue(0);
    assertThat(room.hosts()).containsExactly(HOST);
    isReady();
    assertThat(answer.get(10, TimeUnit.SECONDS))
        .startsWith("HTTP/1.1 201")
        .endsWith("POST /v1/chat?n=%20x hello");
    inside(0);
  }

  @Test
  void readyReplicaAnswersImmediately() {
    isReady();
    assertThat(answer(request("GET /v1/models", "", ""))).contains("201", "GET /v1/models");
  }

  /** Fails when a request is lost because the address has no replica yet. */
  @Test
  void aRequestThatFindsNoReplicaWaitsAgain() throws Exception {
    URI real = address;
    try (ServerSocket free = new ServerSocket(0)) {
      address = URI.create("http://127.0.0.1:" + free.getLocalPort());
    }
    isReady();
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    address = real;
    while (!answer.isDone()) {
      isReady();
      Thread.onSpinWait();
    }
    assertThat(answer.get()).startsWith("HTTP/1.1 201").endsWith("hello");
    assertThat(calls).hasValue(1);
  }

  /** Fails when the gate collects a response before it passes it on. */
  @Test
  void eventsReachTheClientAsTheyAreSent() throws Exception {
    CountDownLatch read = new CountDownLatch(1);
    answersOnly(exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write("data: one\n\n".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      read.await();
      exchange.getResponseBody().write("data: two\n\n".getBytes(StandardCharsets.UTF_8));
    });
    isReady();
    try (Socket socket = connected()) {
      send(socket, post("hello"));
      InputStream in = socket.getInputStream();
      StringBuilder text = new StringBuilder();
      while (text.indexOf("data: one") < 0) {
        text.append((char) in.read());
      }
      assertThat(text).doesNotContain("two").contains("text/event-stream");
      read.countDown();
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).contains("data: two");
    }
  }

  /** Fails when a truncated response appears complete. */
  @Test
  void truncatedResponseIsNotCompletedByTheGate() {
    answersOnly(exchange -> {
      exchange.sendResponseHeaders(200, 100);
      exchange.getResponseBody().write("half".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      throw new IOException("the replica dies");
    });
    isReady();
    String answer = answer(post("hello"));
    assertThat(answer).contains("Content-Length: 100").endsWith("half");
    inside(0);
  }

  @Test
  void fullGateRejectsWithRetryAfter() throws Exception {
    List<CompletableFuture<String>> waiting =
        List.of(later(post("a")), later(post("b")), later(post("c")), later(post("d")));
    inside(4);
    assertThat(answer(post("e"))).startsWith("HTTP/1.1 429").contains("Retry-After: 91");
    assertThat(refused.count()).isEqualTo(1);
    isReady();
    for (CompletableFuture<String> each : waiting) {
      assertThat(each.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 201");
    }
    inside(0);
    assertThat(answer(post("f"))).startsWith("HTTP/1.1 201");
  }

  @Test
  void requestThatWaitedTooLongGetsRetryAfter() {
    opens(4, Duration.ofMillis(100), Duration.ofSeconds(10));
    assertThat(answer(post("hello"))).startsWith("HTTP/1.1 503").contains("Retry-After: 91");
    assertThat(calls).hasValue(0);
    inside(0);
  }

  /** Fails when a client is asked to repeat a request to a service that no longer exists. */
  @Test
  void aRequestOfADeletedServiceIsNotRepeated() throws Exception {
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    room.update(new TreeMap<>());
    assertThat(answer.get(10, TimeUnit.SECONDS))
        .startsWith("HTTP/1.1 404")
        .contains("No model service")
        .doesNotContain("Retry-After");
    inside(0);
  }

  /** Fails when a stop of the gate leaves a client without a response. */
  @Test
  void stoppingGateAnswersWaitingRequests() throws Exception {
    CompletableFuture<String> answer = later(post("hello"));
    inside(1);
    room.close(Duration.ofSeconds(5));
    assertThat(answer.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 503");
    assertThat(answer(post("later"))).startsWith("HTTP/1.1 429");
  }

  /** Fails when headers of one connection, or a credential of Fairlead, reach a replica. */
  @Test
  void onlyTheHeadersOfTheRequestReachTheReplica() {
    answersOnly(exchange -> {
      seen.set(exchange.getRequestHeaders().toString());
      exchange.sendResponseHeaders(204, -1);
    });
    isReady();
    String answer =
        answer(
            request(
                "GET /",
                """
                X-Own: yes\r
                X-Hop: 1\r
                Connection: X-Hop\r
                Proxy-Authorization: Basic eA==\r
                TE: trailers\r
                Upgrade: websocket\r
                X-Forwarded-Host: evil.example\r
                Authorization: Bearer fl_0123456789\r
                Authorization: Bearer sk-of-the-model\r
                """,
                ""));
    assertThat(answer).startsWith("HTTP/1.1 204");
    assertThat(seen.get())
        .contains("X-own=[yes]", "sk-of-the-model", "X-forwarded-host=[chat.example]")
        .doesNotContain("evil", "fl_0123456789", "X-hop", "Proxy-", "trailers", "websocket");
  }

  /** Fails when a client chooses where the gate connects to. */
  @Test
  void requestCannotChooseTheReplica() throws Exception {
    isReady();
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      other.setSoTimeout(200);
      String foreign = "http://127.0.0.1:" + other.getLocalPort() + "/";
      assertThat(answer(request("GET " + foreign, "", ""))).startsWith("HTTP/1.1 40");
      assertThat(answer(request("OPTIONS *", "", ""))).startsWith("HTTP/1.1 200");
      assertThat(calls).hasValue(0);
      assertThat(answer(request("GET //127.0.0.1:" + other.getLocalPort() + "/", "", "")))
          .startsWith("HTTP/1.1 201");
      assertThat(answer(request("GET /@" + "127.0.0.1:" + other.getLocalPort(), "", "")))
          .startsWith("HTTP/1.1 201");
      assertThat(answer(post("").replace(HOST, "other.example"))).startsWith("HTTP/1.1 404");
      assertThatThrownBy(other::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void bodySizeIsLimitedWithAndWithoutContentLength() {
    isReady();
    assertThat(answer(post("x".repeat(LONGEST_BODY + 1)))).startsWith("HTTP/1.1 413");
    assertThat(calls).hasValue(0);
    String chunk = "x".repeat(LONGEST_BODY / 2);
    String chunks = "%x\r\n%s\r\n".formatted(chunk.length(), chunk).repeat(3) + "0\r\n\r\n";
    String chunked = request("POST /", "Transfer-Encoding: chunked\r\n", chunks);
    assertThat(answer(chunked)).startsWith("HTTP/1.1 413");
    assertThat(answer(post("x".repeat(LONGEST_BODY)))).startsWith("HTTP/1.1 201");
    inside(0);
  }

  /** Fails when a response with many cookies passes the gateway and not the gate. */
  @Test
  void longHeadersOfAResponseReachTheClient() {
    String header = "x".repeat(30_000);
    answersOnly(exchange -> {
      exchange.getResponseHeaders().add("X-Long", header);
      exchange.sendResponseHeaders(204, -1);
    });
    isReady();
    assertThat(answer(post("hello")))
        .startsWith("HTTP/1.1 204")
        .containsIgnoringCase("x-long: " + header);
  }
}

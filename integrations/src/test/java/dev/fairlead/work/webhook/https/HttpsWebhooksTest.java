package dev.fairlead.work.webhook.https;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.work.webhook.WebhookAnswer;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Calls to a real receiver that fails in the ways of the world. */
class HttpsWebhooksTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final byte[] EVENT = "{\"type\":\"JobSucceeded\"}".getBytes(UTF_8);
  private final AtomicInteger calls = new AtomicInteger();
  private final AtomicReference<String> received = new AtomicReference<>("");

  private WebhookAnswer posted(Duration most, String allowed, FakeHttps.Answer answer) {
    FakeHttps.Answer noting =
        (exchange, n) -> {
          calls.incrementAndGet();
          received.set(
              exchange.getRequestHeaders().getFirst("webhook-id")
                  + " "
                  + new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          answer.to(exchange, n);
        };
    try (FakeHttps server = new FakeHttps(noting)) {
      return post(most, allowed, server.url() + "/hook", server.caData());
    }
  }

  private static WebhookAnswer post(
      Duration most, String allowed, String url, @Nullable String caData) {
    return new HttpsWebhooks(new EgressPolicy(List.of(Cidr.parse(allowed)), FakeHosts.LOOKUP), most)
        .post(url, caData, new TreeMap<>(Map.of("webhook-id", "evt_1")), EVENT);
  }

  private WebhookAnswer posted(FakeHttps.Answer answer) {
    return posted(PATIENCE, "127.0.0.1/32", answer);
  }

  @Test
  void eventAndItsHeadersAreDelivered() {
    WebhookAnswer answer = posted((exchange, n) -> exchange.sendResponseHeaders(204, -1));

    assertThat(answer).isEqualTo(new WebhookAnswer(204, "", null));
    assertThat(received.get()).isEqualTo("evt_1 {\"type\":\"JobSucceeded\"}");
  }

  @Test
  void errorIsReadWithItsRetryAfterAndWithoutControlCharacters() {
    WebhookAnswer answer =
        posted((exchange, n) -> {
          exchange.getResponseHeaders().set("Retry-After", "120");
          FakeHttps.send(exchange, 503, "too \u001b[2J busy");
        });

    assertThat(answer).isEqualTo(new WebhookAnswer(503, "too ?[2J busy", Duration.ofMinutes(2)));
  }

  /** Fails when a redirect leads a call to an address that the guard would refuse. */
  @Test
  void aRedirectIsNotFollowed() {
    WebhookAnswer answer =
        posted((exchange, n) -> {
          exchange.getResponseHeaders().set("Location", "https://127.0.0.1:1/latest/meta-data/");
          FakeHttps.send(exchange, 307, "");
        });

    assertThat(answer.status()).isEqualTo(307);
    assertThat(answer.accepted()).isFalse();
    assertThat(calls).hasValue(1);
  }

  /** Fails when an event is sent to an internal address that the operator did not allow. */
  @Test
  void aPrivateAddressIsNotCalled() {
    WebhookAnswer answer =
        posted(PATIENCE, "10.1.0.0/16", (exchange, n) -> FakeHttps.send(exchange, 200, ""));

    assertThat(answer.status()).isZero();
    assertThat(answer.text()).contains("loopback, link-local, private or reserved");
    assertThat(calls).hasValue(0);
  }

  /** Fails when an endless answer is read completely, or its status is ignored. */
  @Test
  void onlyTheStartOfAHugeResponseIsRead() {
    WebhookAnswer answer =
        posted((exchange, n) -> {
          exchange.sendResponseHeaders(200, 0);
          pour(exchange);
        });

    assertThat(answer.accepted()).isTrue();
    assertThat(answer.text()).hasSize(WebhookAnswer.LONGEST_TEXT);
  }

  private static void pour(HttpExchange exchange) {
    byte[] piece = "x".repeat(1 << 16).getBytes(UTF_8);
    try (OutputStream out = exchange.getResponseBody()) {
      for (int i = 0; i < 1 << 16; i++) { // 4 GiB
        out.write(piece);
      }
    } catch (IOException closed) {
      // the caller has read enough
    }
  }

  /** Fails when a receiver that never answers delays the caller. */
  @Test
  void silentReceiverTimesOut() {
    CountDownLatch end = new CountDownLatch(1);
    WebhookAnswer answer =
        posted(
            Duration.ofSeconds(2),
            "127.0.0.1/32",
            (exchange, n) -> {
              try {
                end.await();
              } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
              }
            });
    end.countDown();

    assertThat(answer.status()).isZero();
    assertThat(answer.accepted()).isFalse();
  }

  /** Fails when a broken connection repeats the call by itself, or counts as accepted. */
  @Test
  void receiverThatClosesBeforeItsResponseWasCalledOnce() {
    WebhookAnswer answer = posted((exchange, n) -> exchange.close());

    assertThat(answer.status()).isZero();
    assertThat(calls).hasValue(1);
  }

  /** Fails when a receiver with another certificate gets an event. */
  @Test
  void anUnknownCertificateIsRefused() {
    try (FakeHttps server = new FakeHttps((exchange, n) -> calls.incrementAndGet())) {
      String url = server.url() + "/hook";
      WebhookAnswer answer = post(PATIENCE, "127.0.0.1/32", url, null);

      assertThat(answer.status()).isZero();
      assertThat(calls).hasValue(0);
    }
  }
}

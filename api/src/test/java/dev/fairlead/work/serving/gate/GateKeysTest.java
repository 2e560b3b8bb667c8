package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyText;
import dev.fairlead.work.serving.service.GateBooks;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of services that require keys. */
class GateKeysTest extends GateScene {
  private static final String TEXT = "flk_" + "a".repeat(43);
  private static final String ANSWER =
      """
      {"id":"1","choices":[{"message":{"content":"hi","usage":{"prompt_tokens":900}}}],
       "usage":{"prompt_tokens":7,"total_tokens":12,"completion_tokens":5,"details":{"prompt_tokens":800}}}\
      """;

  private final List<GateBatch.VersionTraffic> traffic = new ArrayList<>();

  @BeforeEach
  void aServiceWithAKey() {
    access = ModelService.Access.KEYS;
    valid(key(new UUID(1, 1), null, null));
    isReady();
  }

  private void valid(ServiceKey... keys) {
    ring.read(new KeyChanges(1, true, List.of(keys)));
  }

  private static ServiceKey key(UUID service, Integer requests, Integer tokens) {
    return new ServiceKey(
        new ServiceKey.Name(new ModelServiceId(service), "app"),
        new TenantId(new UUID(1, 2)),
        ServiceKeyText.hash(TEXT),
        "ana",
        NOW,
        NOW.plus(Duration.ofHours(1)),
        null,
        requests,
        tokens,
        null);
  }

  private static String call(String headers, String body) {
    return request(
        "POST /v1/chat/completions", "Content-Length: " + body.length() + "\r\n" + headers, body);
  }

  private String asks() {
    return answer(call(bearer(TEXT), "{}"));
  }

  private static String bearer(String text) {
    return "Authorization: Bearer " + text + "\r\n";
  }

  private void answersWith(String type, String body) {
    answersOnly(exchange -> {
      seen.set(exchange.getRequestHeaders().toString());
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", type);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    });
  }

  /** The use of all requests so far, once the first has ended. Collects their traffic. */
  private KeyUse used() {
    AtomicReference<KeyUse> sum = new AtomicReference<>(KeyUse.NONE);
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> {
          GateBatch batch = meter.next();
          batch.hours().forEach(each -> sum.set(sum.get().plus(each.use())));
          traffic.addAll(batch.traffic());
          meter.confirmed(
              new GateBooks.Shared(now(), new KeyChanges(1, true, List.of()), List.of(), 1));
          return sum.get().requests() > 0;
        });
    return sum.get();
  }

  @Test
  void aRequestWithoutAValidKeyOfTheServiceIsRefused() {
    String other = "flk_" + "b".repeat(43);
    for (String headers :
        List.of(
            "",
            bearer(other),
            bearer("sk-of-another-provider"),
            bearer(TEXT) + bearer(TEXT),
            "Authorization: Basic " + TEXT + "\r\n",
            "X-Api-Key: " + TEXT + "\r\n")) {
      assertThat(answer(call(headers, "{}")))
          .startsWith("HTTP/1.1 401")
          .contains("WWW-Authenticate: Bearer", "application/json")
          .contains("\"type\":\"invalid_request_error\"", "\"code\":\"invalid_api_key\"")
          .doesNotContain(TEXT, other);
    }
    assertThat(calls).hasValue(0);
    assertThat(asks()).startsWith("HTTP/1.1 201");
  }

  @Test
  void aKeyOfAnotherServiceOrAnExpiredKeyIsRefused() {
    valid(key(new UUID(1, 7), null, null));
    assertThat(asks()).startsWith("HTTP/1.1 401");
    valid(key(new UUID(1, 1), null, null));
    sinceStart = Duration.ofMinutes(5);
    assertThat(asks()).startsWith("HTTP/1.1 201");
    valid(key(new UUID(1, 1), null, null));
    sinceStart = Duration.ofMinutes(61);
    valid(key(new UUID(1, 1), null, null));
    assertThat(asks()).startsWith("HTTP/1.1 401");
  }

  /** Fails when a revoked key still works, or a key that was never read is accepted. */
  @Test
  void keysAreAcceptedForALimitedTimeAfterTheyWereRead() {
    sinceStart = Duration.ofMinutes(15);
    assertThat(asks()).startsWith("HTTP/1.1 201");
    assertThat(answer(call(bearer("flk_" + "b".repeat(43)), "{}"))).startsWith("HTTP/1.1 401");
    sinceStart = Duration.ofMinutes(15).plusNanos(1);
    assertThat(asks())
        .startsWith("HTTP/1.1 503")
        .contains("Retry-After: 10", "\"type\":\"server_error\"");
    valid();
    assertThat(asks()).startsWith("HTTP/1.1 401");
  }

  /**
   * Fails when a gate without a database forwards requests for a service that has since required
   * keys.
   */
  @Test
  void staleOpenServiceIsRejected() {
    access = ModelService.Access.OPEN;
    isReady();
    sinceStart = Duration.ofMinutes(15);
    assertThat(answer(call("", "{}"))).startsWith("HTTP/1.1 201");
    sinceStart = Duration.ofMinutes(15).plusNanos(1);
    assertThat(answer(call("", "{}"))).startsWith("HTTP/1.1 503").contains("Retry-After: 10");
    ring.readServices();
    assertThat(answer(call("", "{}"))).startsWith("HTTP/1.1 201");
  }

  /** Fails when the replica sees the key, in any header of the client. */
  @Test
  void theKeyNeverReachesTheReplica() {
    answersWith("application/json", ANSWER);
    String answer =
        answer(
            call(
                bearer(TEXT) + "X-Copy: " + TEXT + "\r\nAccept-Encoding: gzip\r\nX-Own: yes\r\n",
                "{}"));
    assertThat(answer).startsWith("HTTP/1.1 200").endsWith(ANSWER);
    assertThat(seen.get()).contains("X-own=[yes]").doesNotContain("flk_", "gzip");
  }

  @Test
  void theUsageObjectOfADocumentIsCounted() {
    answersWith("application/json; charset=utf-8", ANSWER);
    assertThat(asks()).startsWith("HTTP/1.1 200");
    assertThat(used()).isEqualTo(new KeyUse(1, 7, 5, 0));
    assertThat(traffic)
        .hasSize(1)
        .allSatisfy(each -> {
          assertThat(each.version()).isEqualTo(1);
          assertThat(each.count().requests()).isEqualTo(1);
          assertThat(each.count().bad()).isZero();
        });
  }

  @Test
  void theUsageObjectOfAStreamIsCounted() {
    answersWith(
        "text/event-stream",
        """
        data: {"choices":[{"delta":{"content":"a \\"usage\\" text"}}],"usage":null}

        data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5}}

        data: [DONE]

        """);
    assertThat(asks()).startsWith("HTTP/1.1 200").endsWith("data: [DONE]\n\n");
    assertThat(used()).isEqualTo(new KeyUse(1, 7, 5, 0));
  }

  /** Fails when a stream without a usage object bypasses a token limit. */
  @Test
  void aStreamWithoutUsageCountsItsEventsForTheLimitOnly() {
    valid(key(new UUID(1, 1), null, 3));
    answersWith("text/event-stream", "data: {\"choices\":[]}\n\n".repeat(3));
    assertThat(asks()).startsWith("HTTP/1.1 200");
    inside(0);
    assertThat(asks()).startsWith("HTTP/1.1 429").contains("\"type\":\"tokens\"");
    assertThat(used()).isEqualTo(new KeyUse(1, 0, 0, 1));
  }

  /** Fails when long prompts bypass a token limit because their stream has no usage object. */
  @Test
  void aStreamWithoutUsageCountsItsPromptForTheLimit() {
    valid(key(new UUID(1, 1), null, 200));
    answersWith("text/event-stream", "data: {\"choices\":[]}\n\n");
    assertThat(answer(call(bearer(TEXT), "x".repeat(800)))).startsWith("HTTP/1.1 200");
    inside(0);
    assertThat(asks()).startsWith("HTTP/1.1 429").contains("\"type\":\"tokens\"");
    assertThat(used()).isEqualTo(new KeyUse(1, 0, 0, 1));
  }

  /** Fails when a response that the gate cannot hold is free, or is not counted. */
  @Test
  void unreadResponseIsUnmeteredAndCountsItsBytesForTheLimit() {
    memory = new UsageMemory(0);
    opens(4, Duration.ofSeconds(30), Duration.ofSeconds(10));
    valid(key(new UUID(1, 1), null, 9_000));
    isReady();
    answersWith("application/json", "{\"text\":\"" + "x".repeat(40_000) + "\"}");
    assertThat(asks()).startsWith("HTTP/1.1 200").endsWith("x\"}");
    inside(0);
    assertThat(asks()).startsWith("HTTP/1.1 429").contains("\"type\":\"tokens\"");
    assertThat(used()).isEqualTo(new KeyUse(1, 0, 0, 1));
    assertThat(unread.count()).isEqualTo(1);
  }

  @Test
  void aResponseWithoutUsageCountsTheRequest() {
    answersWith("text/plain", "hello");
    assertThat(asks()).startsWith("HTTP/1.1 200");
    answersWith("application/json", "this is {not JSON");
    assertThat(asks()).startsWith("HTTP/1.1 200");
    assertThat(used()).isEqualTo(new KeyUse(2, 0, 0, 2));
  }

  /** Fails when a client that only lists the models looks like one with unknown tokens. */
  @Test
  void modelListCountsNoTokens() {
    answersWith("application/json", "{\"object\":\"list\",\"data\":[{\"id\":\"chat\"}]}");
    assertThat(answer(request("GET /v1/models", bearer(TEXT), ""))).startsWith("HTTP/1.1 200");
    assertThat(used()).isEqualTo(new KeyUse(1, 0, 0, 0));
  }

  /** Fails when the version is not blamed, or tokens that were not received are counted. */
  @Test
  void truncatedResponseIsAnErrorAndCountsNoTokens() {
    answersOnly(exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, 1000);
      exchange.getResponseBody().write("{\"usage\":{\"prompt_".getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      throw new IOException("the replica dies");
    });
    assertThat(asks()).endsWith("prompt_");
    assertThat(used()).isEqualTo(new KeyUse(1, 0, 0, 1));
    assertThat(traffic)
        .extracting(GateBatch.VersionTraffic::count)
        .extracting(TrafficCount::bad)
        .containsExactly(1L);
  }

  /** Fails when a client disconnect counts as an error of the version. */
  @Test
  void clientDisconnectIsNotAFaultOfTheVersion() throws Exception {
    CountDownLatch ended = answersWithoutEnd();
    try (Socket socket = connected()) {
      send(socket, call(bearer(TEXT), "{}"));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(used().requests()).isEqualTo(1);
    assertThat(traffic)
        .extracting(GateBatch.VersionTraffic::count)
        .extracting(TrafficCount::bad)
        .containsExactly(0L);
  }

  @Test
  void abortedUploadIsNotAFaultOfTheVersion() {
    opens(4, Duration.ofSeconds(30), Duration.ofMillis(200));
    valid(key(new UUID(1, 1), null, null));
    isReady();
    String half = request("POST /v1/chat", "Content-Length: 100\r\n" + bearer(TEXT), "half");
    assertThat(answer(half)).startsWith("HTTP/1.1 408");
    assertThat(used()).isEqualTo(new KeyUse(1, 0, 0, 0));
    assertThat(traffic).hasSize(1).allSatisfy(each -> assertThat(each.count().bad()).isZero());
  }

  /** Fails when the start of a replica counts as the latency of its version. */
  @Test
  void onlyTheTimeAtTheReplicaIsMeasured() throws Exception {
    sleeps();
    CompletableFuture<String> waiting = later(call(bearer(TEXT), "{}"));
    inside(1);
    sinceStart = Duration.ofSeconds(60);
    isReady();
    assertThat(waiting.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 201");
    assertThat(used().requests()).isEqualTo(1);
    assertThat(traffic)
        .extracting(GateBatch.VersionTraffic::count)
        .allSatisfy(count -> assertThat(count.bad()).isZero())
        .allSatisfy(count -> assertThat(count.millis()).isZero());
  }

  /** Fails when waiting requests reach a service that has since required keys. */
  @Test
  void aRequestThatWaitsIsRefusedIfTheServiceBeginsToRequireKeys() throws Exception {
    access = ModelService.Access.OPEN;
    sleeps();
    CompletableFuture<String> waiting = later(call("", "{}"));
    inside(1);
    access = ModelService.Access.KEYS;
    isReady();
    assertThat(waiting.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 503").contains("Retry");
    assertThat(calls).hasValue(0);
  }

  /** Fails when a key opens the service that takes over the host name of the deleted one. */
  @Test
  void aRequestThatWaitsIsRefusedIfAnotherServiceGetsTheHostName() throws Exception {
    sleeps();
    CompletableFuture<String> waiting = later(call(bearer(TEXT), "{}"));
    inside(1);
    service = new UUID(1, 7);
    isReady();
    assertThat(waiting.get(10, TimeUnit.SECONDS)).startsWith("HTTP/1.1 503").contains("Retry");
    assertThat(calls).hasValue(0);
  }

  @Test
  void requestLimitAppliesToTheCurrentMinute() {
    valid(key(new UUID(1, 1), 2, null));
    sinceStart = Duration.ofSeconds(20);
    assertThat(asks()).startsWith("HTTP/1.1 201");
    assertThat(asks()).startsWith("HTTP/1.1 201");
    assertThat(asks())
        .startsWith("HTTP/1.1 429")
        .contains("Retry-After: 41", "\"type\":\"requests\"", "rate_limit_exceeded")
        .contains("limit of 2 requests per minute");
    assertThat(calls).hasValue(2);
    sinceStart = Duration.ofSeconds(60);
    assertThat(asks()).startsWith("HTTP/1.1 201");
  }

  @Test
  void tokenLimitAppliesOnceTheTokensAreKnown() {
    valid(key(new UUID(1, 1), null, 12));
    answersWith("application/json", ANSWER);
    assertThat(asks()).startsWith("HTTP/1.1 200");
    inside(0);
    assertThat(asks()).startsWith("HTTP/1.1 429").contains("\"type\":\"tokens\"");
    assertThat(used()).isEqualTo(new KeyUse(1, 7, 5, 0));
  }

  @Test
  void hostileRequestsAreRefusedAndNotCounted() {
    String huge = "X-Huge: " + "x".repeat(70_000) + "\r\n";
    assertThat(answer(call(bearer(TEXT) + huge, "{}"))).startsWith("HTTP/1.1 4");
    assertThat(answer(call(bearer(TEXT), "x".repeat(LONGEST_BODY + 1))))
        .startsWith("HTTP/1.1 413")
        .contains("{\"error\":{\"message\":\"The body is longer than");
    assertThat(calls).hasValue(0);
    assertThat(meter.next().hours()).isEmpty();
  }

  @Test
  void chunkedBodyWithoutJsonIsForwarded() {
    String answer =
        answer(
            request(
                "POST /v1/chat",
                "Transfer-Encoding: chunked\r\n" + bearer(TEXT),
                "4\r\n{not\r\n0\r\n\r\n"));
    assertThat(answer).startsWith("HTTP/1.1 201").endsWith("{not");
  }
}

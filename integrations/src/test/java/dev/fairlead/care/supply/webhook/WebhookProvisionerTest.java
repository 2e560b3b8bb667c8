package dev.fairlead.care.supply.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.Supplies;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyRequestId;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.kernel.egress.ReceivedCall;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.ResourceVector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A provisioner over HTTPS, honest or not. */
class WebhookProvisionerTest {
  private static final byte[] KEY = new byte[32];
  private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private final ReceivedCall call = new ReceivedCall();

  private SupplyAnswer asked(Duration most, String allowed, FakeHttps.Answer answer) {
    try (FakeHttps server = new FakeHttps(call.before(answer))) {
      return provisioner(most, allowed)
          .ask(call(new Supply.Webhook(server.url() + "/nodes", server.caData())));
    }
  }

  private SupplyAnswer told(String answer) {
    return asked(PATIENCE, "127.0.0.1/32", (exchange, n) -> FakeHttps.send(exchange, 200, answer));
  }

  private static WebhookProvisioner provisioner(Duration most, String allowed) {
    return new WebhookProvisioner(
        new EgressPolicy(List.of(Cidr.parse(allowed)), FakeHosts.LOOKUP),
        purpose -> Optional.of(KEY),
        () -> NOW,
        most);
  }

  private static SupplyCall call(Supply.Webhook webhook) {
    return call(webhook, new TreeMap<>());
  }

  private static SupplyCall call(Supply.Webhook webhook, SortedMap<String, String> labels) {
    Supply supply = Supplies.of(new PoolId(new UUID(1, 1)), new ClusterId(new UUID(1, 2)));
    Supply other =
        new Supply(
            supply.pool(),
            supply.cluster(),
            new NodeKind("H100", 8, 0, CapacityType.SPOT, ResourceVector.ZERO, labels),
            supply.maxNodes(),
            supply.releaseAfter(),
            supply.readyWithin(),
            webhook,
            1,
            null);
    SupplyRequest request = SupplyRequest.of(new SupplyRequestId(new UUID(1, 3)), other, 2, NOW);
    return new SupplyCall(other, "burst", "us-2", labels, request, SupplyCall.Action.REQUEST);
  }

  /** Fails when a provisioner cannot verify that a call is from Fairlead, or which name it uses. */
  @Test
  void callIsSignedAndNamesItsHost() throws Exception {
    SupplyAnswer answer =
        told(
            "{\"state\": \"GRANTED\", \"nodes\": [\"gpu-1\"], \"message\": null, \"retryAfter\":"
                + " \"7m\"}");

    assertThat(answer)
        .isEqualTo(
            new SupplyAnswer.Answered(
                SupplyAnswer.Word.GRANTED, List.of("gpu-1"), "", Duration.ofMinutes(7)));
    assertThat(call.body())
        .contains("\"action\":\"REQUEST\"", "\"nodes\":2", "\"key\":\"sup_", "\"pool\":\"burst\"");
    assertThat(call.host()).startsWith("cluster.example:");
    call.isSigned(KEY, NOW);
  }

  /** Fails when an address is connected to that the policy does not allow. */
  @Test
  void disallowedAddressIsNotCalled() {
    SupplyAnswer answer =
        asked(PATIENCE, "10.0.0.0/8", (exchange, n) -> FakeHttps.send(exchange, 200, "{}"));

    assertThat(answer.toString()).contains("private or reserved");
    assertThat(call.body()).isEmpty();
    WebhookProvisioner provisioner = provisioner(PATIENCE, "10.0.0.0/8");
    assertThat(provisioner.refuses(new Supply.Webhook("https://inside.example/", null)))
        .isPresent();
    assertThat(provisioner.refuses(new Supply.Webhook("http://public.example/", null))).isPresent();
    assertThat(provisioner.refuses(new Supply.Webhook("https://public.example/", "no PEM")))
        .isPresent();
    assertThat(provisioner.refuses(new Supply.Webhook("https://public.example/", null))).isEmpty();
  }

  @Test
  void unreadableResponseIsNotAnAnswer() {
    assertThat(told("{\"state\": \"YES\"}").toString()).contains("none of PENDING");
    assertThat(told("{\"state\": \"GRANTED\", \"nodes\": [\"../etc\"]}").toString())
        .contains("invalid node names");
    assertThat(told("a".repeat(70_000)).toString()).contains("more than 64 KiB");
    assertThat(told("[").toString()).contains("cannot be read");
  }

  /** Fails when a redirect is followed. */
  @Test
  void aRedirectIsNotFollowed() {
    SupplyAnswer answer =
        asked(
            PATIENCE,
            "127.0.0.1/32",
            (exchange, n) -> {
              exchange.getResponseHeaders().set("Location", "https://cluster.example/other");
              FakeHttps.send(exchange, 307, "{}");
            });

    assertThat(answer).isEqualTo(new SupplyAnswer.Unanswered("the provisioner answers 307"));
  }

  // Fails when a write waits for the provisioner without a bound.
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void provisionerThatReadsNothingTimesOut() {
    SupplyAnswer answer;
    long began = System.nanoTime();
    SortedMap<String, String> many = new TreeMap<>();
    IntStream.range(0, 100_000).forEach(i -> many.put("label-" + i, "x".repeat(200)));
    try (FakeHttps server = new FakeHttps(FakeHttps.hangs())) {
      SupplyCall large = call(new Supply.Webhook(server.url() + "/", server.caData()), many);
      answer = provisioner(Duration.ofSeconds(3), "127.0.0.1/32").ask(large);
    }

    assertThat(answer).isInstanceOf(SupplyAnswer.Unanswered.class);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PATIENCE);
  }

  /** Fails when a hanging server delays the loop. It never responds by itself. */
  @Test
  void hangingProvisionerTimesOut() {
    SupplyAnswer answer = asked(Duration.ofSeconds(2), "127.0.0.1/32", FakeHttps.hangs());

    assertThat(answer).isInstanceOf(SupplyAnswer.Unanswered.class);
  }
}

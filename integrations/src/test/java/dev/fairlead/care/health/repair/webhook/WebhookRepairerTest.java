package dev.fairlead.care.health.repair.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.RepairTaskId;
import dev.fairlead.care.health.repair.RepairTaskState;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.kernel.egress.ReceivedCall;
import dev.fairlead.kernel.egress.SignedHttps;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A repairer over HTTPS, honest or not. */
class WebhookRepairerTest {
  private static final byte[] KEY = new byte[32];
  private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private final ReceivedCall call = new ReceivedCall();

  private RepairAnswer asked(Duration most, String allowed, FakeHttps.Answer answer) {
    try (FakeHttps server = new FakeHttps(call.before(answer))) {
      return repairer(most, allowed).ask(call(server.url() + "/repair", server.caData()));
    }
  }

  private RepairAnswer told(String answer) {
    return asked(PATIENCE, "127.0.0.1/32", (exchange, n) -> FakeHttps.send(exchange, 200, answer));
  }

  private static WebhookRepairer repairer(Duration most, String allowed) {
    return new WebhookRepairer(
        new SignedHttps(
            new EgressPolicy(List.of(Cidr.parse(allowed)), FakeHosts.LOOKUP),
            purpose -> Optional.of(KEY),
            () -> NOW,
            most,
            "the repairer"));
  }

  private static RepairCall call(String url, @Nullable String caData) {
    ClusterId cluster = new ClusterId(new UUID(1, 2));
    RepairTask task =
        new RepairTask(
            new RepairTaskId(new UUID(1, 3)),
            new RepairId(new UUID(1, 4)),
            cluster,
            new NodeId(new UUID(1, 5)),
            "gpu-7",
            RepairStep.POWER_CYCLE,
            "0123abcd",
            "boot-1",
            false,
            NOW,
            new RepairTask.Status(
                RepairTaskState.ORDERED,
                NOW.plusSeconds(3_600),
                new RepairTask.Progress(NOW, 0, "", ""),
                null,
                null,
                null,
                null),
            1);
    return new RepairCall(
        new Repairer(cluster, List.of(RepairStep.POWER_CYCLE), false, url, caData, 1),
        "eu-1",
        task,
        "XID 79 (GPU has fallen off the bus)",
        RepairCall.Action.REPAIR);
  }

  /**
   * Fails when a repairer cannot verify that a call is from Fairlead, or which step it requests.
   */
  @Test
  void callIsSignedAndContainsTheNextStep() throws Exception {
    RepairAnswer answer =
        told(
            "{\"state\": \"PENDING\", \"nonce\": \"0123abcd\", \"reference\": \"INC-7\","
                + " \"message\": \"off\\u001b[2J\"}");

    assertThat(answer)
        .isEqualTo(
            new RepairAnswer.Answered(
                RepairAnswer.Word.PENDING, "0123abcd", false, "INC-7", "off?[2J"));
    assertThat(call.body())
        .contains(
            "\"action\":\"REPAIR\"",
            "\"key\":\"rpt_",
            "\"nonce\":\"0123abcd\"",
            "\"node\":\"gpu-7\"",
            "\"step\":\"POWER_CYCLE\"",
            "\"cluster\":\"eu-1\"");
    call.isSigned(KEY, NOW);
  }

  /** Fails when a redirect to the metadata service of the machine is followed. */
  @Test
  void aRedirectToAMetadataAddressIsNotFollowed() {
    RepairAnswer answer =
        asked(
            PATIENCE,
            "127.0.0.1/32",
            (exchange, n) -> {
              exchange
                  .getResponseHeaders()
                  .set("Location", "http://169.254.169.254/latest/meta-data/");
              FakeHttps.send(exchange, 307, "{}");
            });

    assertThat(answer).isEqualTo(new RepairAnswer.Unanswered("the repairer answers 307"));
    assertThat(call.count()).isEqualTo(1);
  }

  /** Fails when an address is connected to that the policy does not allow. */
  @Test
  void disallowedAddressIsNotCalled() {
    assertThat(
            asked(PATIENCE, "10.0.0.0/8", (exchange, n) -> FakeHttps.send(exchange, 200, "{}"))
                .toString())
        .contains("private or reserved");
    assertThat(call.body()).isEmpty();
    for (String url :
        List.of("https://inside.example/", "http://public.example/", "https://169.254.169.254/x")) {
      assertThat(repairer(PATIENCE, "10.0.0.0/8").refuses(call(url, null).repairer()))
          .as(url)
          .isPresent();
    }
    assertThat(
            repairer(PATIENCE, "10.0.0.0/8")
                .refuses(call("https://public.example/", null).repairer()))
        .isEmpty();
  }

  /** Fails when unreadable output ends a step, or unknown output counts as power off. */
  @Test
  void unreadableResponseIsNotAnAnswer() {
    assertThat(told("{\"state\": \"YES\"}").toString()).contains("none of PENDING");
    assertThat(told("a".repeat(70_000)).toString()).contains("more than 64 KiB");
    assertThat(told("[").toString()).contains("cannot be read");
    assertThat(told("{\"state\": \"DONE\", \"poweredOff\": \"maybe\"}"))
        .isEqualTo(new RepairAnswer.Answered(RepairAnswer.Word.DONE, null, false, "", ""));
    assertThat(told("{\"state\": \"DONE\", \"poweredOff\": true}"))
        .isEqualTo(new RepairAnswer.Answered(RepairAnswer.Word.DONE, null, true, "", ""));
  }

  /** Fails when a hanging server delays the loop. It never responds by itself. */
  @Test
  void hangingRepairerTimesOut() {
    RepairAnswer answer = asked(Duration.ofSeconds(2), "127.0.0.1/32", FakeHttps.hangs());

    assertThat(answer).isInstanceOf(RepairAnswer.Unanswered.class);
  }
}

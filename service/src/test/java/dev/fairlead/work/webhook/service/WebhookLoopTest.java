package dev.fairlead.work.webhook.service;

import static dev.fairlead.work.webhook.service.Receiver.BROKEN;
import static dev.fairlead.work.webhook.service.Receiver.OK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookSignature;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs webhooks with a virtual clock and receivers that fail. */
class WebhookLoopTest extends WebhookScene {
  /** Fails when an event is missing, out of order, foreign, or not signed with the secret. */
  @Test
  void eventsAreSentSignedAndInOrder() {
    Project project = world.project();
    put("nlp-ends", project.name(), "https://nlp.example", "JobSucceeded");
    turn();
    happens(7, "JobSubmitted", "JobQueued");
    happens(8, project, "JobSubmitted", "JobSucceeded");
    turns(Duration.ofSeconds(10));

    assertThat(receiver.accepted(PORTAL))
        .containsExactly("7/JobSubmitted", "7/JobQueued", "8/JobSubmitted", "8/JobSucceeded");
    assertThat(receiver.accepted("https://nlp.example")).containsExactly("8/JobSucceeded");
    assertThat(receiver.calls()).isEqualTo(5);
    assertThat(webhooks.one(owner, null, "portal").delivered()).isEqualTo(4);
    assertThat(deliveries()).isEmpty();

    WebhookView.TestAnswer tested = orders.test(owner, target);
    assertThat(tested.accepted()).isTrue();
    Map<String, String> headers = receiver.headers();
    String body = webhooks.one(owner, null, "portal").id();
    assertThat(body).startsWith("whk_");
    assertThat(headers.get("webhook-timestamp"))
        .isEqualTo(Long.toString(stores.clock().instant().getEpochSecond()));
    assertThat(headers.get("webhook-signature")).startsWith("v1,").doesNotContain(" ");
  }

  /** Fails when a webhook skips only one page of foreign events in a pass. */
  @Test
  void eventsOutsideTheFilterUseNoPasses() {
    put("nlp-ends", world.project().name(), "https://nlp.example", "JobSucceeded");
    turns(Duration.ofSeconds(4));
    for (int object = 100; object < 350; object++) {
      happens(object, "JobSubmitted");
    }
    happens(8, world.project(), "JobSucceeded");
    turn();

    assertThat(receiver.accepted("https://nlp.example")).containsExactly("8/JobSucceeded");
  }

  /** Fails when each webhook that lags behind the newest events reads the log for itself. */
  @Test
  void webhooksThatLagTogetherShareOneRead() {
    for (int each = 0; each < 40; each++) {
      put("lags-" + each, null, "https://%d.example".formatted(each));
    }
    turns(Duration.ofSeconds(4));
    happens(7, "JobSubmitted");
    loop = loop("another");
    while (receiver.calls() == 0) {
      stores.advance(TURN);
      turn();
    }

    assertThat(receiver.calls()).isEqualTo(41);
  }

  /** Fails when the secret is shown again, or is in the audit or the history. */
  @Test
  void secretIsShownOnceAndTwoSecretsSignDuringARotation() {
    assertThat(secret).startsWith("whsec_");
    assertThat(webhooks.one(owner, null, "portal").secret()).isNull();
    assertThat(webhooks.all(owner, null).getFirst().secret()).isNull();
    assertThat(put("portal", null, PORTAL + "/2").secret()).isNull();

    WebhookView rotated = orders.rotate(owner, target, Duration.ofHours(1));
    assertThat(rotated.secret()).startsWith("whsec_").isNotEqualTo(secret);
    WebhookView.TestAnswer _ = orders.test(owner, target);
    assertThat(receiver.headers().get("webhook-signature").split(" ", -1)).hasSize(2);
    stores.advance(Duration.ofHours(2));
    WebhookView.TestAnswer _ = orders.test(owner, target);
    assertThat(receiver.headers().get("webhook-signature").split(" ", -1)).hasSize(1);

    assertThat(stores.auditEntries().toString())
        .doesNotContain(secret, String.valueOf(rotated.secret()), "whsec_");
  }

  /** Fails when a failed event is lost, or delays events of other objects. */
  @Test
  void failedEventDelaysOnlyItsObject() {
    receiver.answers((url, event) -> event.equals("7/JobQueued") ? BROKEN : OK);
    turn();
    happens(7, "JobSubmitted", "JobQueued", "JobAdmitted");
    happens(8, "JobSubmitted", "JobQueued");
    turns(Duration.ofSeconds(4));
    happens(7, "JobSucceeded");
    turns(Duration.ofSeconds(4));

    assertThat(receiver.accepted(PORTAL))
        .containsExactly("7/JobSubmitted", "8/JobSubmitted", "8/JobQueued");
    assertThat(deliveries())
        .singleElement()
        .satisfies(each -> {
          assertThat(each.type()).isEqualTo("JobQueued");
          assertThat(each.status()).isEqualTo(500);
          assertThat(each.response()).isEqualTo("broken");
          assertThat(each.dead()).isFalse();
        });

    receiver.answers((url, event) -> OK);
    turns(Duration.ofMinutes(2));
    assertThat(receiver.of(PORTAL, 7))
        .containsExactly("7/JobSubmitted", "7/JobQueued", "7/JobAdmitted", "7/JobSucceeded");
    assertThat(deliveries()).isEmpty();
  }

  /** Fails when one event that is never accepted blocks its object forever, or is dropped. */
  @Test
  void anEventIsGivenUpAfterThreeDaysAndCanBeReplayed() {
    receiver.answers((url, event) -> event.equals("7/JobQueued") ? BROKEN : OK);
    turn();
    happens(7, "JobSubmitted", "JobQueued", "JobAdmitted");
    for (int day = 0; day < 4; day++) {
      happens(100 + day, "JobSubmitted");
      turns(Duration.ofDays(1));
    }

    assertThat(receiver.of(PORTAL, 7)).containsExactly("7/JobSubmitted", "7/JobAdmitted");
    WebhookView.Delivery dead = deliveries().getFirst();
    assertThat(dead.dead()).isTrue();
    assertThat(dead.attempts()).isBetween(15, 30);
    assertThat(state().status()).isEqualTo(WebhookStatus.ACTIVE);

    receiver.answers((url, event) -> OK);
    WebhookView _ = orders.retry(owner, target, position(dead));
    turns(Duration.ofSeconds(10));
    assertThat(receiver.accepted(PORTAL)).endsWith("7/JobQueued", "7/JobAdmitted");
    assertThat(deliveries()).isEmpty();
  }

  /**
   * Fails when a receiver that refuses one type of event does not get other types, or is disabled.
   */
  @Test
  void receiverThatRejectsOneTypeGetsAllOthers() {
    receiver.answers((url, event) -> event.endsWith("/JobQueued") ? BROKEN : OK);
    turn();
    IntStream.range(0, 15).forEach(object -> happens(object, "JobSubmitted"));
    IntStream.range(0, 15).forEach(object -> happens(object, "JobQueued", "JobAdmitted"));
    turns(Duration.ofHours(1));
    for (int day = 1; day <= 4; day++) {
      for (int each = 0; each < 5; each++) {
        happens(100 * day + each, "JobSubmitted", "JobQueued", "JobAdmitted");
      }
      turns(Duration.ofDays(1));
      assertThat(receiver.accepted(PORTAL)).contains((100 * day + 4) + "/JobSubmitted");
    }

    assertThat(state().status()).isEqualTo(WebhookStatus.ACTIVE);
    IntStream.range(0, 15)
        .forEach(object ->
            assertThat(receiver.of(PORTAL, object))
                .containsExactly(object + "/JobSubmitted", object + "/JobAdmitted"));
    assertThat(deliveries()).extracting(WebhookView.Delivery::type).containsOnly("JobQueued");
    assertThat(deliveries().stream().filter(WebhookView.Delivery::dead)).hasSizeGreaterThan(14);
  }

  private static EventPosition position(WebhookView.Delivery delivery) {
    String[] parts = delivery.event().split("-", 2);
    return new EventPosition(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
  }

  /** Fails when an outage of the receiver loses an event, fills the store, or floods it. */
  @Test
  void anOutageOfThreeDaysLosesNothingAndDisablesTheWebhook() {
    receiver.answers((url, event) -> BROKEN);
    turn();
    for (int object = 0; object < 300; object++) {
      happens(object, "JobSubmitted", "JobQueued");
    }
    turns(Duration.ofDays(2));
    assertThat(state().status()).isEqualTo(WebhookStatus.ACTIVE);
    assertThat(deliveries()).hasSizeLessThanOrEqualTo(WebhookState.MOST_PROBED);
    assertThat(receiver.calls()).isLessThan(2 * 24 * 12 + 50);
    turns(Duration.ofDays(2));
    assertThat(state().status()).isEqualTo(WebhookStatus.DISABLED);
    assertThat(state().reason()).contains("no event", "HTTP 500: broken");
    assertThat(new WebhookDiagnosis(stores.webhooks(), stores.tenants(), stores.clock()).look())
        .anyMatch(check -> check.found().contains("is disabled"));
    int calls = receiver.calls();
    turns(Duration.ofDays(1));
    assertThat(receiver.calls()).isEqualTo(calls);

    receiver.answers((url, event) -> OK);
    WebhookView _ = orders.resume(owner, target);
    turns(Duration.ofMinutes(2));
    IntStream.range(0, 300)
        .forEach(object ->
            assertThat(receiver.of(PORTAL, object))
                .containsExactly(object + "/JobSubmitted", object + "/JobQueued"));
    assertThat(receiver.accepted(PORTAL)).hasSize(600);
    assertThat(deliveries()).isEmpty();
  }

  @Test
  void deletedReceiverGetsNoMoreCalls() {
    receiver.answers((url, event) -> new WebhookAnswer(410, "", null));
    turn();
    happens(7, "JobSubmitted");
    turns(Duration.ofMinutes(5));

    assertThat(state().status()).isEqualTo(WebhookStatus.DISABLED);
    assertThat(receiver.calls()).isEqualTo(1);
  }

  /** Fails when a receiver that never answers delays the events of another one. */
  @Test
  void slowWebhookDelaysNoOther() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch arrived = new CountDownLatch(1);
    put("slow", null, "https://slow.example");
    receiver.answers((url, event) -> {
      if (url.equals("https://slow.example")) {
        hangs.countDown();
        awaits(end);
      } else {
        arrived.countDown();
      }
      return OK;
    });
    turns(Duration.ofSeconds(4));
    happens(7, "JobSubmitted");
    stores.advance(TURN);
    ticks();
    awaits(hangs);
    awaits(arrived);
    assertThat(receiver.accepted("https://slow.example")).isEmpty();
    end.countDown();
    loop.awaitRounds();
    turns(Duration.ofSeconds(4));
    assertThat(receiver.accepted("https://slow.example")).containsExactly("7/JobSubmitted");
    assertThat(receiver.accepted(PORTAL)).containsExactly("7/JobSubmitted");
  }

  private final CountDownLatch arrived = new CountDownLatch(1);

  /** Fails when webhooks that answer slowly use the slots of others. */
  @Test
  void slowWebhooksHaveTheirOwnSlots() {
    for (int each = 0; each < 70; each++) {
      put("slow-" + each, null, "https://slow-%d.example".formatted(each));
    }
    turns(Duration.ofSeconds(4));
    CountDownLatch first = slowUntil();
    begins(1);
    for (int second = 0; second < 6; second++) {
      ticks();
    }
    first.countDown();
    loop.awaitRounds();
    turn();

    put("last", null, "https://last.example");
    turns(Duration.ofSeconds(4));
    CountDownLatch end = slowUntil();
    begins(2);
    awaits(arrived);
    end.countDown();
    loop.awaitRounds();
  }

  /** Returns the latch that the slow receivers await. */
  private CountDownLatch slowUntil() {
    CountDownLatch end = new CountDownLatch(1);
    receiver.answers((url, event) -> {
      if (url.equals("https://last.example")) {
        arrived.countDown();
      } else {
        awaits(end);
      }
      return OK;
    });
    return end;
  }

  private void begins(int object) {
    happens(object, "JobSubmitted");
    stores.advance(TURN);
    ticks();
  }

  @Test
  void aReplaySendsEventsAgain() {
    turn();
    EventPosition before = stores.events().head();
    happens(7, "JobSubmitted", "JobQueued");
    turns(Duration.ofSeconds(10));
    WebhookView _ = orders.replay(owner, target, before);
    turns(Duration.ofSeconds(10));

    assertThat(receiver.accepted(PORTAL))
        .containsExactly("7/JobSubmitted", "7/JobQueued", "7/JobSubmitted", "7/JobQueued");
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> orders.replay(owner, target, new EventPosition(Long.MAX_VALUE, 0)))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE));
  }

  /**
   * Fails when a killed sender, a flapping receiver, a pause or a replay loses an event or breaks
   * the order of an object.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void nothingIsLostOrOutOfOrder(int seed) {
    Random random = new Random(seed);
    TreeMap<Integer, List<String>> sent = new TreeMap<>();
    receiver.answers((url, event) -> {
      synchronized (random) {
        return random.nextInt(3) == 0 ? BROKEN : OK;
      }
    });
    turn();
    for (int step = 0; step < 300; step++) {
      int object = random.nextInt(12);
      if (random.nextInt(3) > 0) {
        List<String> events = sent.computeIfAbsent(object, each -> new ArrayList<>());
        String type = "Job" + events.size();
        events.add(object + "/" + type);
        happens(object, type);
      }
      ticks();
      if (random.nextInt(10) == 0) {
        loop.awaitRounds();
        loop = loop("process " + step); // the rounds of the previous loop are lost
        for (int turn = 0; turn < 5; turn++) {
          ticks();
        }
      }
      loop.awaitRounds();
      if (random.nextInt(40) == 0) {
        WebhookView _ = orders.pause(owner, target);
        WebhookView _ = orders.resume(owner, target);
      }
      stores.advance(TURN);
    }
    receiver.answers((url, event) -> OK);
    turns(Duration.ofHours(1));
    sent.forEach((object, events) ->
        assertThat(receiver.of(PORTAL, object)).containsExactlyElementsOf(events));
    assertThat(deliveries()).isEmpty();
    assertThat(state().status()).isEqualTo(WebhookStatus.ACTIVE);
  }

  /** Fails when a revert of the address brings back an old secret, position or pause. */
  @Test
  void aRevertChangesAddressAndFilterOnly() {
    ConfigDocument<Webhook> before = document();
    WebhookView _ = put("portal", null, PORTAL + "/2");
    WebhookView rotated = orders.rotate(owner, target, Duration.ZERO);
    WebhookView _ = orders.pause(owner, target);

    webhooks.restore(owner, document().with(before.value()));
    WebhookView now = webhooks.one(owner, null, "portal");
    assertThat(now.url()).isEqualTo(PORTAL);
    assertThat(now.id()).isEqualTo(rotated.id());
    assertThat(now.status()).isEqualTo(WebhookStatus.PAUSED);
    assertThat(state().secrets().version()).isEqualTo(2);
  }

  /** Fails when a revert replaces a change that its check of later changes did not see. */
  @Test
  void aRevertDoesNotReplaceALaterChange() {
    ConfigDocument<Webhook> before = document();
    WebhookView later = put("portal", null, PORTAL + "/2");

    assertThatExceptionOfType(Refusal.class).isThrownBy(() -> webhooks.restore(owner, before));
    assertThat(webhooks.one(owner, null, "portal").url()).isEqualTo(later.url());
  }

  private ConfigDocument<Webhook> document() {
    return stores.configs().all(Webhook.DOCUMENTS, world.tenant().id()).getFirst();
  }

  @Test
  void privateAddressIsRejected() {
    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> put("evil", null, "https://private.example"))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.UNSAFE_ADDRESS));
    assertThat(WebhookSignature.text(new byte[1])).isEqualTo("whsec_AA==");
  }
}

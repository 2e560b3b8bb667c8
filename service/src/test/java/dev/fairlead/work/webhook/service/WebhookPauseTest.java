package dev.fairlead.work.webhook.service;

import static dev.fairlead.work.webhook.service.Receiver.BROKEN;
import static dev.fairlead.work.webhook.service.Receiver.OK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookRound;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStatus;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pauses of webhooks, events that left the log, and old dead letters. */
class WebhookPauseTest extends WebhookScene {
  /** Fails when a new webhook waits for a long rest, because the last look was recent. */
  @Test
  void firstWebhookIsReadWithinASecond() {
    webhooks.remove(owner, null, "portal", null, false);
    loop =
        loop(
            "another",
            new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20)));
    Duration second = Duration.ofSeconds(1);
    for (int i = 0; i < 60 && loop.idle().compareTo(second) <= 0; i++) {
      stores.advance(TURN);
      ticks();
    }
    assertThat(loop.idle()).isGreaterThan(second);

    WebhookView _ = put("first", null, PORTAL);
    boolean _ = loop.tick();

    assertThat(loop.idle()).isEqualTo(second);
  }

  /** Fails when events during a pause are lost, or a paused webhook is called. */
  @Test
  void pausedWebhookGetsItsEventsLater() {
    turn();
    WebhookView _ = orders.pause(owner, target);
    happens(7, "JobSubmitted", "JobQueued");
    turns(Duration.ofSeconds(10));
    assertThat(receiver.calls()).isZero();

    WebhookView _ = orders.resume(owner, target);
    turns(Duration.ofSeconds(10));
    assertThat(receiver.accepted(PORTAL)).containsExactly("7/JobSubmitted", "7/JobQueued");
  }

  /** Fails when a pause of more than seven days loses events silently. */
  @Test
  void eventsDeletedFromTheLogAreReported() {
    turn();
    WebhookView _ = orders.pause(owner, target);
    happens(7, "JobSubmitted");
    EventPosition gone = stores.events().head();
    happens(7, "JobQueued");
    stores.events().forget(gone);

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> orders.resume(owner, target))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.POSITION_EXPIRED));
    WebhookView _ = orders.replay(owner, target, gone);
    WebhookView _ = orders.resume(owner, target);
    turns(Duration.ofSeconds(10));
    assertThat(receiver.accepted(PORTAL)).containsExactly("7/JobQueued");
  }

  /**
   * Fails when a pause takes effect only after a pass without a round, which may never occur with a
   * slow receiver.
   */
  @Test
  void pauseAppliesFromTheCurrentRound() {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    receiver.answers((url, event) -> {
      hangs.countDown();
      awaits(end);
      return OK;
    });
    turn();
    happens(7, "JobSubmitted");
    stores.advance(TURN);
    ticks();
    awaits(hangs);
    happens(7, "JobQueued");
    WebhookView _ = orders.pause(owner, target);
    ticks();
    end.countDown();
    loop.awaitRounds();
    boolean _ = loop.tick(); // a moment later: the rows are not read again
    turns(Duration.ofSeconds(10));

    assertThat(receiver.accepted(PORTAL)).containsExactly("7/JobSubmitted");
  }

  /** Fails when dead letters that were deleted still count, and disable the webhook. */
  @Test
  void deletedDeadLettersAreNotCounted() {
    List<WebhookDelivery> dead =
        IntStream.range(0, WebhookState.MOST_DEAD).mapToObj(this::givenUp).toList();
    WebhookRound.Result result = new WebhookRound.Result(state(), List.of(), dead, List.of());
    assertThat(stores.webhooks().advance(List.of(result))).hasSize(1);
    turns(Duration.ofSeconds(4));
    stores.advance(Duration.ofDays(8));
    nanos += Duration.ofMinutes(11).toNanos();
    turns(Duration.ofMinutes(2));
    receiver.answers((url, event) -> event.startsWith("7/") ? BROKEN : OK);
    happens(7, "JobFailed");
    for (int hour = 0; hour < 80; hour++) {
      happens(8, "JobSubmitted");
      turns(Duration.ofSeconds(4));
      stores.advance(Duration.ofHours(1));
    }

    assertThat(deliveries()).singleElement().matches(WebhookView.Delivery::dead);
    assertThat(state().status()).as(state().reason()).isEqualTo(WebhookStatus.ACTIVE);
  }

  private WebhookDelivery givenUp(int number) {
    return new WebhookDelivery(
        state().id(),
        new WebhookDelivery.Subject(IdKind.JOB, new UUID(2, number)),
        new EventPosition(0, number + 1),
        "JobFailed",
        stores.clock().instant(),
        10,
        stores.clock().instant(),
        stores.clock().instant(),
        true,
        BROKEN);
  }
}

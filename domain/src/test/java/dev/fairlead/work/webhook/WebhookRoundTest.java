package dev.fairlead.work.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.Fact;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Effects of receiver responses, in virtual time. */
class WebhookRoundTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final TenantId TENANT = new TenantId(new UUID(1, 1));
  private static final WebhookAnswer BROKEN = new WebhookAnswer(500, "", null);
  private static final WebhookAnswer DONE = new WebhookAnswer(200, "", null);
  private final WebhookState state =
      WebhookState.first(
          new WebhookId(new UUID(1, 2)), TENANT, "ten/portal", EventPosition.START, NOW);

  private static EventRecord event(long sequence, long object) {
    return new EventRecord(
        new EventPosition(1, sequence),
        NOW,
        Fact.of("JobQueued"),
        IdKind.JOB,
        new UUID(0, object),
        1,
        "mia",
        TENANT,
        null,
        null);
  }

  /**
   * Returns the delivery after this number of attempts, each at its due time and with this answer.
   */
  private WebhookDelivery after(int attempts, WebhookAnswer answer) {
    WebhookDelivery delivery = WebhookDelivery.untried(state.id(), event(1, 0), NOW);
    for (int i = 0; i < attempts; i++) {
      delivery = delivery.refused(answer, delivery.nextAt());
    }
    return delivery;
  }

  /** Fails when an event is retried too often, too seldom, or forever. */
  @Test
  void backOffGrowsToSixHoursAndDeliveryEndsAfterThreeDays() {
    assertThat(after(1, BROKEN).nextAt()).isEqualTo(NOW.plusSeconds(5));
    assertThat(after(2, BROKEN).nextAt()).isEqualTo(NOW.plusSeconds(35));
    int attempts = 1;
    while (!after(attempts, BROKEN).dead()) {
      attempts++;
    }
    assertThat(attempts).isBetween(18, 24);
    assertThat(Duration.between(NOW, after(attempts, BROKEN).nextAt()))
        .isBetween(Duration.ofDays(3), Duration.ofDays(3).plusHours(6));
    assertThat(LongStream.range(0, 21).mapToObj(seed -> WebhookRetry.event(9, null, (int) seed)))
        .allMatch(wait -> wait.compareTo(Duration.ofHours(6)) >= 0)
        .allMatch(wait -> wait.compareTo(Duration.ofMinutes(7 * 60 + 12)) <= 0)
        .doesNotHaveDuplicates();
  }

  /** Fails when a receiver that requests a wait is called early, or can stop its events. */
  @Test
  void retryAfterOfAReceiverIsRespectedUpToSixHours() {
    assertThat(after(1, new WebhookAnswer(429, "", Duration.ofMinutes(3))).nextAt())
        .isEqualTo(NOW.plusSeconds(180));
    assertThat(after(1, new WebhookAnswer(503, "", Duration.ofDays(10))).nextAt())
        .isEqualTo(NOW.plus(Duration.ofHours(6)));
  }

  /** Fails when the retries of one event count against a receiver that accepts others. */
  @Test
  void rejectedEventDuringAnAcceptedOneIsNotAReceiverFailure() {
    WebhookRound first = new WebhookRound(state, List.of(), 0);
    assertThat(first.answered(event(1, 7), null, BROKEN, NOW)).isFalse();
    assertThat(first.answered(event(2, 8), null, DONE, NOW.plusSeconds(1))).isTrue();
    WebhookRound.Result stored = first.result(new EventPosition(1, 2), NOW.plusSeconds(1));

    WebhookRound second = new WebhookRound(stored.state(), stored.waiting(), 0);
    assertThat(second.answered(event(1, 7), null, BROKEN, NOW.plusSeconds(5))).isFalse();
    WebhookState after = second.result(new EventPosition(1, 2), NOW.plusSeconds(5)).state();
    assertThat(after.health().failures()).isZero();
    assertThat(after.health().failingSince()).isNull();

    assertThat(second.answered(event(3, 9), null, BROKEN, NOW.plusSeconds(6))).isFalse();
    after = second.result(new EventPosition(1, 3), NOW.plusSeconds(6)).state();
    assertThat(after.health().failures()).isEqualTo(1);
  }

  /** Fails when the events of an object overtake each other within one round. */
  @Test
  void anEventWaitsBehindTheFailedOneOfItsObject() {
    WebhookRound round = new WebhookRound(state, List.of(), 0);
    assertThat(round.takes(event(1, 7))).isTrue();
    assertThat(round.answered(event(1, 7), null, BROKEN, NOW)).isFalse();
    assertThat(round.takes(event(2, 7))).isFalse();
    assertThat(round.takes(event(3, 8))).isTrue();
    assertThat(round.answered(event(3, 8), null, DONE, NOW)).isTrue();

    WebhookRound.Result result = round.result(new EventPosition(1, 3), NOW);
    assertThat(result.written()).containsExactlyElementsOf(result.waiting());
    assertThat(result.waiting())
        .extracting(WebhookDelivery::position)
        .containsExactly(new EventPosition(1, 1));

    WebhookRound next = new WebhookRound(result.state(), result.waiting(), 0);
    assertThat(next.takes(event(4, 7))).isFalse();
    assertThat(next.answered(event(1, 7), event(2, 7), DONE, NOW)).isTrue();
    assertThat(next.answered(event(2, 7), null, DONE, NOW)).isTrue();
    WebhookRound.Result then = next.result(new EventPosition(1, 4), NOW);
    assertThat(then.waiting())
        .extracting(WebhookDelivery::position)
        .as("the event that was passed over while the object was retried")
        .containsExactly(new EventPosition(1, 4));
    assertThat(then.removed()).hasSize(1);
  }
}

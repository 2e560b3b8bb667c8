package dev.fairlead.work.webhook;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import java.util.UUID;

/**
 * The event of an object that a webhook did not accept. Later events of the object wait behind it
 * in the log. A dead delivery has been abandoned, and later events of its object have been sent.
 *
 * @param position position of the event
 * @param type type of the event
 * @param eventAt when the event happened
 * @param attempts failed attempts, 0 for an event that waited behind another event
 * @param firstAt first failure, or start of the wait
 * @param nextAt next attempt, or the time when a dead delivery was abandoned
 * @param answer outcome of the last attempt
 */
@RecordBuilder
public record WebhookDelivery(
    WebhookId webhook,
    Subject subject,
    EventPosition position,
    String type,
    Instant eventAt,
    int attempts,
    Instant firstAt,
    Instant nextAt,
    boolean dead,
    WebhookAnswer answer)
    implements WebhookDeliveryBuilder.With {
  private static final WebhookAnswer NO_CALL = WebhookAnswer.none("");

  /** The object of an event. */
  public record Subject(IdKind kind, UUID id) implements Comparable<Subject> {
    private static final Comparator<Subject> ORDER =
        Comparator.comparing(Subject::kind).thenComparing(Subject::id);

    public static Subject of(EventRecord event) {
      return new Subject(event.subject(), event.subjectId());
    }

    @Override
    public int compareTo(Subject other) {
      return ORDER.compare(this, other);
    }
  }

  /** An event that has not been sent yet. */
  static WebhookDelivery untried(WebhookId webhook, EventRecord event, Instant now) {
    return WebhookDeliveryBuilder.builder()
        .webhook(webhook)
        .subject(Subject.of(event))
        .position(event.position())
        .type(event.fact().type())
        .eventAt(event.at())
        .attempts(0)
        .firstAt(now)
        .nextAt(now)
        .dead(false)
        .answer(NO_CALL)
        .build();
  }

  /**
   * After another failed attempt: waits for the next one, or is dead three days after the first.
   */
  WebhookDelivery refused(WebhookAnswer why, Instant now) {
    Instant first = attempts == 0 ? now : firstAt;
    boolean last = now.isAfter(first.plus(WebhookRetry.PATIENCE));
    Instant next =
        last
            ? now
            : now.plus(WebhookRetry.event(attempts + 1, why.retryAfter(), subject.id().hashCode()));
    return with().attempts(attempts + 1).firstAt(first).nextAt(next).dead(last).answer(why).build();
  }

  /** Returns whether the delivery's next failed attempt is the last one. */
  boolean pastPatience(Instant now) {
    return attempts > 0 && now.isAfter(firstAt.plus(WebhookRetry.PATIENCE));
  }

  /** Abandoned because the log no longer has the event. */
  WebhookDelivery expired(Instant now) {
    return with()
        .nextAt(now)
        .dead(true)
        .answer(WebhookAnswer.none("the event expired before the webhook accepted it"))
        .build();
  }

  /** Sends the event now, with retries for three days. */
  public WebhookDelivery again(Instant now) {
    return with().attempts(0).firstAt(now).nextAt(now).dead(false).build();
  }

  WebhookDelivery at(Instant next) {
    return withNextAt(next);
  }

  /** The position just before this event in the log. */
  public EventPosition before() {
    return new EventPosition(position.transaction(), position.sequence() - 1);
  }
}

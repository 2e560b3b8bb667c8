package dev.fairlead.work.webhook;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventPosition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a webhook while events are sent. A revert of the configuration does not change
 * it, so a revert restores neither an old secret nor an old position.
 *
 * @param document name of the webhook's document
 * @param reason why the webhook is PAUSED or DISABLED, empty when it is ACTIVE
 * @param position every event up to here is delivered, waits in a {@link WebhookDelivery}, or is
 *     not for this webhook
 * @param secrets current and previous secret
 * @param health outcome of the latest calls
 * @param epoch rises when an owner sets another position, so that results of older calls are
 *     dropped
 */
@RecordBuilder
public record WebhookState(
    WebhookId id,
    TenantId tenant,
    String document,
    WebhookStatus status,
    String reason,
    EventPosition position,
    Secrets secrets,
    Health health,
    long epoch)
    implements WebhookStateBuilder.With {
  /** Failed calls in a row after which only one event at a time is tried. */
  public static final int PROBED = 10;

  /** Waiting objects below which every second probe sends an untried event. */
  public static final int MOST_PROBED = 50;

  /**
   * Maximum number of objects with an event that waits for a retry. At this number, the webhook
   * sends no more events.
   */
  public static final int MOST_WAITING = 200;

  /** Maximum dead letters. Another dead letter disables the webhook. */
  public static final int MOST_DEAD = 1_000;

  /**
   * @param version version of the current secret, from 1
   * @param previousUntil time until which the previous secret also signs, or null
   */
  public record Secrets(int version, @Nullable Instant previousUntil) {}

  /**
   * @param failures failed calls in a row. While fewer than {@link #PROBED}, a refusal of an event
   *     does not count if another event was accepted after its first refusal
   * @param failingSince first counted call that failed, or null after a success
   * @param nextAt earliest time of the next call
   * @param delivered accepted events since the webhook was added
   * @param deliveredAt last accepted event, or null if none
   */
  public record Health(
      int failures,
      @Nullable Instant failingSince,
      Instant nextAt,
      long delivered,
      @Nullable Instant deliveredAt) {
    Health accepted(Instant now) {
      return new Health(0, null, now, delivered + 1, now);
    }

    Health refused(@Nullable Instant firstRefused, Instant now) {
      boolean ofEvent =
          firstRefused != null && deliveredAt != null && deliveredAt.isAfter(firstRefused);
      if (ofEvent && failures < PROBED) {
        return this;
      }
      int next = failures + 1;
      Instant since = failingSince == null ? now : failingSince;
      Instant at = next < PROBED ? now : now.plus(WebhookRetry.probe(next - PROBED));
      return new Health(next, since, at, delivered, deliveredAt);
    }

    Health restarted(Instant now) {
      return new Health(0, null, now, delivered, deliveredAt);
    }
  }

  /** A webhook that gets events from that position. */
  public static WebhookState first(
      WebhookId id, TenantId tenant, String document, EventPosition position, Instant now) {
    return WebhookStateBuilder.builder()
        .id(id)
        .tenant(tenant)
        .document(document)
        .status(WebhookStatus.ACTIVE)
        .reason("")
        .position(position)
        .secrets(new Secrets(1, null))
        .health(new Health(0, null, now, 0, null))
        .epoch(1)
        .build();
  }

  /** Returns whether enough consecutive calls failed that only one event at a time is tried. */
  public boolean probed() {
    return health.failures() >= PROBED;
  }

  public WebhookState paused(String why) {
    return with(WebhookStatus.PAUSED, why, position, health, epoch);
  }

  /** Returns the webhook disabled, until an owner resumes it. */
  public WebhookState disabled(String why) {
    return with(WebhookStatus.DISABLED, why, position, health, epoch);
  }

  public WebhookState resumed(Instant now) {
    return with(WebhookStatus.ACTIVE, "", position, health.restarted(now), epoch + 1);
  }

  /** Events after that position are sent again. */
  public WebhookState replayed(EventPosition from, Instant now) {
    return with(status, reason, from, health.restarted(now), epoch + 1);
  }

  /**
   * @param overlap time during which the current secret also signs
   */
  public WebhookState rotated(Duration overlap, Instant now) {
    return withSecrets(
        new Secrets(secrets.version() + 1, overlap.isZero() ? null : now.plus(overlap)));
  }

  /** Every event up to this position is delivered, waits, or does not match this webhook. */
  public WebhookState moved(EventPosition to) {
    return with(status, reason, to, health, epoch);
  }

  /**
   * After one call.
   *
   * @param firstRefused first refusal of the same event, or null if none
   */
  WebhookState answered(WebhookAnswer answer, @Nullable Instant firstRefused, Instant now) {
    if (answer.accepted()) {
      return with(status, reason, position, health.accepted(now), epoch);
    }
    WebhookState next = with(status, reason, position, health.refused(firstRefused, now), epoch);
    Instant since = next.health().failingSince();
    if (answer.gone()) {
      return next.disabled("the receiver answered 410 Gone");
    }
    return since != null && now.isAfter(since.plus(WebhookRetry.PATIENCE))
        ? next.disabled("no event was accepted since " + since + ": " + answer.summary())
        : next;
  }

  /** Returns the state with the secrets that the owner set. */
  public WebhookState with(Secrets others) {
    return withSecrets(others);
  }

  private WebhookState with(
      WebhookStatus nextStatus, String why, EventPosition at, Health nextHealth, long nextEpoch) {
    return with()
        .status(nextStatus)
        .reason(why)
        .position(at)
        .health(nextHealth)
        .epoch(nextEpoch)
        .build();
  }
}

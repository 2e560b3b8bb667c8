package dev.fairlead.work.webhook;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.EventPosition;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Positions of webhooks and their failed deliveries. Both are removed with the document. */
public interface WebhookStore {
  /** All webhooks of all tenants. */
  List<WebhookState> all();

  /** Returns the webhook of the document, or empty for a document of another tenant. */
  Optional<WebhookState> find(TenantId tenant, String document);

  /** Like {@link #find}, and locks the row until the end of the open transaction. */
  Optional<WebhookState> locked(TenantId tenant, String document);

  void insert(WebhookState state);

  /** Replaces a row that {@link #locked} returned in the open transaction. */
  void update(WebhookState state);

  /**
   * Stores the results of rounds, one of each webhook. The status is changed only from ACTIVE to
   * DISABLED, so that a pause during the round remains.
   *
   * @return webhooks whose result is stored. The row of another was deleted or has another epoch
   */
  Set<WebhookId> advance(Collection<WebhookRound.Result> results);

  /**
   * Initial state of a round.
   *
   * @param waiting deliveries that wait for a retry
   * @param dead number of dead letters
   */
  record Backlog(List<WebhookDelivery> waiting, int dead) {
    public Backlog {
      waiting = List.copyOf(waiting);
    }
  }

  Backlog backlog(WebhookId webhook);

  /**
   * Failed deliveries of a webhook in the order of their events, the newest first.
   *
   * @param before only deliveries of events before this position, or null for all
   */
  List<WebhookDelivery> deliveries(
      TenantId tenant, WebhookId webhook, @Nullable EventPosition before, int limit);

  /** Deletes these deliveries and stores those, of one webhook. */
  void replace(TenantId tenant, List<WebhookDelivery> removed, List<WebhookDelivery> written);

  /**
   * Deletes dead letters that were abandoned before that time.
   *
   * @return how many were deleted, at most the limit
   */
  int forget(Instant before, int limit);
}

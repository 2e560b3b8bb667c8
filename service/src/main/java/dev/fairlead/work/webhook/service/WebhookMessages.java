package dev.fairlead.work.webhook.service;

import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.webhook.WebhookDelivery;

/** Writes events as the API shows them. */
public interface WebhookMessages {
  /** The id of an event, as in the event stream. */
  String id(EventPosition position);

  /** The id of an object, such as {@code job_01k...}. */
  String subject(WebhookDelivery.Subject subject);

  /** The event as JSON in UTF-8. */
  byte[] body(EventRecord event);
}

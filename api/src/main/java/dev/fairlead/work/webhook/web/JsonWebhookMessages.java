package dev.fairlead.work.webhook.web;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.web.EventResponse;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.service.WebhookMessages;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Events as {@code GET /events} shows them. */
@Component
class JsonWebhookMessages implements WebhookMessages {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  @Override
  public String id(EventPosition position) {
    return EventResponse.id(position);
  }

  @Override
  public String subject(WebhookDelivery.Subject subject) {
    return subject.kind().prefix() + "_" + IdText.encode(subject.id());
  }

  @Override
  public byte[] body(EventRecord event) {
    return MAPPER.writeValueAsBytes(EventResponse.of(event));
  }
}

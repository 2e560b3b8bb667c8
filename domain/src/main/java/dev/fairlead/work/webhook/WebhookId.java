package dev.fairlead.work.webhook;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Identifies a webhook. A webhook that is removed and added again has another id. */
public record WebhookId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.WEBHOOK;
  }
}

package dev.fairlead.campaign;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

/** Names a campaign. */
public record CampaignId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.CAMPAIGN;
  }
}

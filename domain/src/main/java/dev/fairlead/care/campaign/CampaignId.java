package dev.fairlead.care.campaign;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Id of a campaign. */
public record CampaignId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.CAMPAIGN;
  }
}

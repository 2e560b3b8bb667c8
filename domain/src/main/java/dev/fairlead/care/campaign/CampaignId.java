package dev.fairlead.care.campaign;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

public record CampaignId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.CAMPAIGN;
  }
}

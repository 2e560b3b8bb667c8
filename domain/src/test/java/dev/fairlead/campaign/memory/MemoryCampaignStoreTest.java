package dev.fairlead.campaign.memory;

import dev.fairlead.campaign.CampaignStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryCampaignStoreTest extends CampaignStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}

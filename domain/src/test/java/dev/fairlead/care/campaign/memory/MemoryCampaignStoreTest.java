package dev.fairlead.care.campaign.memory;

import dev.fairlead.care.campaign.CampaignStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryCampaignStoreTest extends CampaignStoreContract {
  private final MemoryStores stores = MemoryStores.empty(1);

  @Override
  protected Stores stores() {
    return stores;
  }
}

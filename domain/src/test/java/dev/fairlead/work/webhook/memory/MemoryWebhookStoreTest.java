package dev.fairlead.work.webhook.memory;

import dev.fairlead.work.webhook.WebhookStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryWebhookStoreTest extends WebhookStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}

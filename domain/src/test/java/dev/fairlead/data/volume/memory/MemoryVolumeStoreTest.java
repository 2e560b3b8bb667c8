package dev.fairlead.data.volume.memory;

import dev.fairlead.data.volume.VolumeStoreContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryVolumeStoreTest extends VolumeStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}

package dev.fairlead.volume.memory;

import dev.fairlead.volume.VolumeStoreContract;
import dev.fairlead.world.Stores;
import dev.fairlead.world.memory.MemoryStores;

class MemoryVolumeStoreTest extends VolumeStoreContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}

package dev.fairlead.log.memory;

import dev.fairlead.log.ChunkStore;
import dev.fairlead.log.ChunkStoreContract;

class MemoryChunkStoreTest extends ChunkStoreContract {
  @Override
  protected ChunkStore store() {
    return new MemoryChunkStore();
  }
}

package dev.fairlead.work.log.memory;

import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ChunkStoreContract;

class MemoryChunkStoreTest extends ChunkStoreContract {
  @Override
  protected ChunkStore store() {
    return new MemoryChunkStore();
  }
}

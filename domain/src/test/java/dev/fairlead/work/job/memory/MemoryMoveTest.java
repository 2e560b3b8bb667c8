package dev.fairlead.work.job.memory;

import dev.fairlead.work.job.MoveContract;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.memory.MemoryStores;

class MemoryMoveTest extends MoveContract {
  @Override
  protected Stores stores() {
    return MemoryStores.empty(1);
  }
}

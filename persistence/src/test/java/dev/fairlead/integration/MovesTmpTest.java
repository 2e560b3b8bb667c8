package dev.fairlead.integration;

import dev.fairlead.work.job.MoveContract;
import dev.fairlead.work.world.Stores;

class MovesTmpTest extends MoveContract {
  @Override
  protected Stores stores() {
    return Embedded.installation();
  }
}

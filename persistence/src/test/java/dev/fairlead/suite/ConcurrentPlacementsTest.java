package dev.fairlead.suite;

import dev.fairlead.figure.Figure;
import dev.fairlead.job.PlacementRaceContract;
import dev.fairlead.world.Stores;

/** On PostgreSQL, where the guards live. */
class ConcurrentPlacementsTest extends PlacementRaceContract {
  @Override
  protected Stores stores() {
    return Embedded.installation();
  }

  @Override
  protected int placements() {
    return Figure.times(100, 1_000_000);
  }
}

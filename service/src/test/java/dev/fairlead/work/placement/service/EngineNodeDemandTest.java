package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class EngineNodeDemandTest {
  /** Fails when all nodes and jobs of an idle fleet are read repeatedly without need. */
  @Test
  void nothingIsReadWhileNoJobWaits() {
    WorldReader idle =
        new WorldReader() {
          @Override
          public World readWith(List<Job> imagined) {
            throw new AssertionError("the world was read");
          }

          @Override
          public boolean anyWaits() {
            return false;
          }
        };

    assertThat(new EngineNodeDemand(idle).now()).isEmpty();
  }
}

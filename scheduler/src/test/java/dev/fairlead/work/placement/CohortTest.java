package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of finding that no job can be evicted. */
class CohortTest {
  /**
   * Fails with 280,000 steps when jobs of other trees are tried, or all are moved although nodes
   * have room, so that jobs are not reached.
   */
  @Test
  void jobsWaitingForCohortQuotaAreCheapAcrossCohorts() {
    World world = CohortScene.world();

    Plan plan = new SchedulingEngine().plan(new Snapshot(world, List.of(), 60_000));

    assertThat(world.live()).hasSize(480);
    assertThat(plan.notReached()).isEmpty();
    assertThat(plan.decisions()).hasSize(120).allMatch(Decision.Hold.class::isInstance);
  }
}

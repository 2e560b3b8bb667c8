package dev.fairlead.work.placement.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.ClassKey;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.shape.Tiers;
import dev.fairlead.work.world.World;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class EquivalenceClassTest {
  /** Fails when the whole shape, with the policy of its queue, is hashed for each individual. */
  @Test
  void individualKeyIsDerivedFromTheDigestOfItsShape() {
    World world = RandomScene.world(1, 20);
    JobShape shape =
        JobShape.of(
            world.pending().getFirst().job(),
            world.asOf(),
            Collections.emptySortedSet(),
            BookedNodes.NONE,
            Tiers.NONE,
            Neighbours.ANY);
    EquivalenceClass jobs = new EquivalenceClass(shape, null, null, 0);
    String digest = ClassKey.of(shape.toString());

    assertThat(jobs.key("one")).isEqualTo(ClassKey.of(digest + "|one"));
    assertThat(jobs.key("other")).isEqualTo(ClassKey.of(digest + "|other"));
    assertThat(jobs.key("one")).isNotEqualTo(jobs.key("other"));
  }
}

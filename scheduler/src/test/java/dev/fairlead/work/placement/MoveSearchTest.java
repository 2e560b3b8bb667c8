package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cost limit of the search for moves. A law ({@code Consolidated}) limits the moves. */
class MoveSearchTest {
  private static final int NODES = 30;
  private static final long WORK = 1500;

  /** Fails when one search for moves can use the work budget of the whole cycle. */
  @Test
  void fruitlessMoveSearchLeavesTheOrderOfOthersUnchanged() {
    Scene scene = new Scene();
    scene.cluster("eu-1").nodes(NODES, 8, "H100");
    scene.spreads("eu-1");
    scene.consolidates("eu-1");
    for (int i = 0; i < NODES; i++) {
      scene.job("small" + i).gpus(5, "H100").priority(PriorityClass.LOW);
    }
    QuotaNodeId queue = scene.quotas.getFirst().id();
    Story story = new Story(scene);
    assertThat(story.plan().places()).hasSize(NODES);
    JobBuilder wide = new JobBuilder("wide", 1000, queue).gang(16).gpus(8, "H100").age(100_000);
    JobBuilder tail = new JobBuilder("tail", 1001, queue).gpus(1).priority(PriorityClass.LOW);
    story.pass(Duration.ofHours(1)).submit(wide, tail);

    Scene.Planned plan = story.plan(WORK, List.of());

    assertThat(plan.starts(wide)).isFalse();
    assertThat(plan.plan().notReached()).isEmpty();
    assertThat(plan.starts(tail)).isTrue();
  }
}

package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.topology.Levels;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;

/** Racks are computed once and reused from cycle to cycle while no node moves. */
class MovedNodeTest {
  private final Scene scene = new Scene();

  /** Fails when a gang is placed by the rack in which a node stood in the last cycle. */
  @Test
  void movedNodeIsPlacedByItsNewRack() {
    scene.cluster("eu-1").rack("r1").nodes(1, 8, "H100").rack("r2").nodes(1, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(2).gpus(8).inOne("rack");
    SchedulingEngine engine = new SchedulingEngine();
    CycleCache memory = new CycleCache();
    Plan apart = engine.plan(new Snapshot(scene.world(), List.of(), 1_000_000), memory);
    assertThat(new Scene.Planned(scene.world(), apart).starts(gang)).isFalse();

    scene.nodes.set(1, moved(scene.nodes.get(1), scene.nodes.getFirst().topology()));
    Plan together = engine.plan(new Snapshot(scene.world(), List.of(), 1_000_000), memory);

    assertThat(new Scene.Planned(scene.world(), together).starts(gang)).isTrue();
  }

  /** Fails when the racks of a fleet are computed again in each cycle. */
  @Test
  void indexesSurviveWhileNodesOnlyFillAndEmpty() {
    scene.cluster("eu-1").rack("r1").nodes(2, 8, "H100");
    Node first = scene.nodes.getFirst();
    Node full = After.with(first, first.allocatable(), first.gpus());
    Levels levels = new Levels(scene.world().clusters().getFirst(), scene.nodes);

    Levels next =
        levels.with(
            scene.world().clusters().getFirst(), scene.nodes, List.of(full, scene.nodes.get(1)));

    assertThat(next).isSameAs(levels);
  }

  private static Node moved(Node node, SortedMap<String, String> topology) {
    return node.withStatus(node.status().withTopology(topology));
  }
}

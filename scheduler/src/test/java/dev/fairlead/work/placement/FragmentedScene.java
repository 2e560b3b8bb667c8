package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.laws.Ended;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A cluster that moves jobs, with small jobs on every node, some of which have ended since, and
 * some that wait for whole nodes.
 */
public final class FragmentedScene {
  private static final int GPUS = 8;

  private FragmentedScene() {}

  public static World world(long seed) {
    Random random = new Random(seed);
    Scene scene = new Scene();
    QuotaNodeId queue = scene.quotas.getFirst().id();
    boolean shares = random.nextInt(3) == 0;
    int nodes = 2 + random.nextInt(4);
    scene
        .cluster("c0", ClusterState.ACTIVE, CapacityType.RESERVED, shares)
        .nodes(nodes, GPUS, "H100");
    scene.spreads("c0");
    scene.consolidates("c0");
    for (int i = 0; i < nodes * 3; i++) {
      JobBuilder small =
          scene
              .job("small" + i)
              .priority(random.nextInt(4) == 0 ? PriorityClass.NORMAL : PriorityClass.LOW)
              .age(1000 + i)
              .cpu(1 + random.nextInt(4))
              .gang(1 + random.nextInt(2));
      if (shares && random.nextBoolean()) {
        small.gpu(GpuRequest.fraction(100 * (1 + random.nextInt(9))));
      } else {
        small.gpus(1 + random.nextInt(4), "H100");
      }
      if (random.nextInt(4) == 0) {
        small.minRuntime(Duration.ofMinutes(random.nextInt(90)));
      }
    }
    World now = RandomScene.started(scene.world());
    for (World.LiveAttempt live : List.copyOf(now.live())) {
      now = random.nextBoolean() ? Ended.of(now, live) : now;
    }
    int passed = random.nextInt(7200);
    List<PendingJob> waiting = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      JobBuilder wide =
          new JobBuilder("wide" + i, 1000 + i, queue)
              .priority(random.nextInt(4) == 0 ? PriorityClass.LOW : PriorityClass.NORMAL)
              .age(random.nextInt(7200) - passed / 2)
              .gang(1 + random.nextInt(2))
              .gpus(GPUS - random.nextInt(3), "H100");
      waiting.add(wide.pending());
    }
    return now.toBuilder().asOf(now.asOf().plusSeconds(passed)).pending(waiting).build();
  }
}

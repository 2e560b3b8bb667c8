package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * A cluster that covers the nominal quotas of all queues, filled by queues that borrow the unused
 * quota of the first queue, and a job of the first queue that needs it. All jobs request whole
 * nodes, so that only quota decides.
 */
public final class LendingScene {
  private static final int GPUS = 8;

  private LendingScene() {}

  public static World world(long seed) {
    Random random = new Random(seed);
    Scene scene = new Scene();
    QuotaNodeId root = scene.group("root");
    int nodes = random.nextInt(2);
    int[] shares = new int[3];
    QuotaNodeId[] queues = new QuotaNodeId[shares.length];
    for (int i = 0; i < shares.length; i++) {
      shares[i] = 1 + random.nextInt(4);
      nodes += shares[i];
      QuotaLimit limit =
          new QuotaLimit(
              new Flavor("H100", CapacityType.RESERVED),
              "gpu",
              shares[i] * GPUS * 1000L,
              null,
              null);
      queues[i] = scene.queue("q" + i, root, QueueSettings.DEFAULT, limit);
      scene.preempts(
          queues[i],
          new PreemptionRules(
              PreemptionRules.WithinQueue.NEVER, PreemptionRules.Reclaim.ANY, false));
    }
    scene.cluster("c0").nodes(nodes, GPUS, "H100");
    for (int i = 0; i < 2 * nodes; i++) {
      int queue = 1 + random.nextInt(2);
      scene
          .job("guest" + i)
          .queue("q" + queue, queues[queue])
          .priority(random.nextInt(3) == 0 ? PriorityClass.HIGH : PriorityClass.NORMAL)
          .age(1000 + i)
          .gang(1 + random.nextInt(2))
          .gpus(GPUS, "H100")
          .minRuntime(Duration.ofMinutes(random.nextInt(30)));
    }
    World lent = RandomScene.started(scene.world());
    JobBuilder owed =
        new JobBuilder("owed", 1_000, queues[0])
            .queue("q0", queues[0])
            .priority(PriorityClass.NORMAL)
            .age(0)
            .gang(1 + random.nextInt(shares[0]))
            .gpus(GPUS, "H100");
    return lent.toBuilder()
        .asOf(lent.asOf().plusSeconds(random.nextInt(2400)))
        .pending(List.of(owed.pending()))
        .build();
  }
}

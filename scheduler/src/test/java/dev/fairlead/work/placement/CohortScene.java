package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;

/**
 * Five cohorts of six queues, as in the performance test of Kueue's scheduler. Each queue uses its
 * whole quota and has waiting jobs, while nodes have room. Waiting jobs may reclaim, and no queue
 * borrows.
 */
final class CohortScene {
  private static final int COHORTS = 5;
  private static final int QUEUES = 6;
  private static final int OWNED = 16;

  private CohortScene() {}

  static World world() {
    Scene scene = new Scene();
    scene.cluster("eu-1").nodes(100, 8, "H100");
    QuotaLimit limit =
        new QuotaLimit(
            new Flavor("H100", CapacityType.RESERVED), "gpu", OWNED * 1000L, 100_000L, null);
    List<PendingJob> waiting = new ArrayList<>();
    for (int cohort = 0; cohort < COHORTS; cohort++) {
      QuotaNodeId group = scene.group("cohort-" + cohort);
      for (int i = 0; i < QUEUES; i++) {
        String name = "q-" + cohort + "-" + i;
        QuotaNodeId queue = scene.queue(name, group, QueueSettings.DEFAULT, limit);
        scene.preempts(
            queue,
            new PreemptionRules(
                PreemptionRules.WithinQueue.LOWER_PRIORITY, PreemptionRules.Reclaim.ANY, false));
        for (int job = 0; job < OWNED; job++) {
          scene.job(name + "-runs-" + job).queue(name, queue).gpus(1, "H100").age(100);
        }
        for (int gpus = 1; gpus <= 4; gpus++) {
          waiting.add(
              new JobBuilder(name + "-waits-" + gpus, waiting.size() + 10_000, queue)
                  .queue(name, queue)
                  .gpus(gpus, "H100")
                  .age(1)
                  .pending());
        }
      }
    }
    return RandomScene.started(scene.world()).with(waiting);
  }
}

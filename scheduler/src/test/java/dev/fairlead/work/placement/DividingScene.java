package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A group that divides its GPUs among three queues, two of which have filled it before all submit.
 * On odd seeds the group has quota of another model as well, whose GPUs are idle.
 */
public final class DividingScene {
  private static final int GPUS = 8;

  private DividingScene() {}

  public static World world(long seed) {
    Random random = new Random(seed);
    Scene scene = new Scene();
    int nodes = 1 + random.nextInt(3);
    QuotaNodeId group = scene.group("group", gpus(nodes * GPUS), ofL4(seed % 2 * GPUS));
    scene.divides(group);
    List<QuotaNodeId> queues = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int owns = random.nextInt(3) == 0 ? random.nextInt(5) : 0;
      queues.add(
          scene.queue(
              "q" + i, group, QueueSettings.DEFAULT, 1000L * random.nextInt(4), gpus(owns)));
      scene.preempts(
          queues.getLast(),
          new PreemptionRules(
              PreemptionRules.WithinQueue.NEVER,
              PreemptionRules.Reclaim.ANY,
              random.nextInt(3) > 0));
    }
    scene.cluster("c0").nodes(nodes, GPUS, "H100");
    if (seed % 2 != 0) {
      scene.cluster("l4").nodes(1, GPUS, "L4");
    }
    for (int i = 0; i < nodes * 4; i++) {
      ask(scene.job("guest" + i), queues, 1 + random.nextInt(2), random).age(1000 + i);
    }
    World full = RandomScene.started(scene.world());
    List<PendingJob> waiting = new ArrayList<>(full.pending());
    for (int i = 0; i < 4; i++) {
      JobBuilder job = new JobBuilder("owed" + i, 1000 + i, queues.getFirst());
      waiting.add(ask(job, queues, random.nextInt(2), random).age(i).pending());
    }
    return full.toBuilder().asOf(full.asOf().plusSeconds(3600)).pending(waiting).build();
  }

  private static JobBuilder ask(
      JobBuilder job, List<QuotaNodeId> queues, int queue, Random random) {
    return job.queue("q" + queue, queues.get(queue))
        .priority(PriorityClass.NORMAL)
        .gpus(1 + random.nextInt(GPUS / 2), "H100");
  }

  private static QuotaLimit ofL4(long gpus) {
    Flavor flavor = new Flavor("L4", CapacityType.RESERVED);
    return new QuotaLimit(flavor, "gpu", gpus * 1000, null, null);
  }

  private static QuotaLimit gpus(int gpus) {
    return new QuotaLimit(
        new Flavor("H100", CapacityType.RESERVED), "gpu", gpus * 1000L, null, null);
  }
}

package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Prints the duration of plans on one core, best of the rounds after warm-up. Run its main by hand.
 */
final class EngineSpeed {
  private static final int ROUNDS = 60;

  private EngineSpeed() {}

  public static void main(String[] args) {
    report("singles, 1,213 nodes x 8, no limits", singles(1213, 6000, false));
    report("singles, 1,213 nodes x 8, quota tree", singles(1213, 6000, true));
    report("gangs of 4 x 8, 1,213 nodes x 8", gangs(1213, 300));
    report("10,000 nodes x 8, 60,000 GPUs used, 100,000 pending of 300 shapes", large());
    report("30 full queues in 5 cohorts, reclaim in vain", CohortScene.world());
    report("512 x 8 in one block, 512 nodes", oneGang("block", true));
    report("512 x 8 preferring racks, 512 nodes", oneGang("rack", false));
  }

  private static void report(String what, World world) {
    long best = Long.MAX_VALUE;
    Plan plan = null;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      plan = new SchedulingEngine().plan(new Snapshot(world, List.of(), Long.MAX_VALUE));
      best = Math.min(best, System.nanoTime() - start);
    }
    long placed = plan.decisions().stream().filter(Decision.Place.class::isInstance).count();
    System.out.printf(
        "%-70s %9.2f ms  placed %6d of %6d  %9.0f decisions/s  %d classes%n",
        what,
        best / 1e6,
        placed,
        world.pending().size(),
        plan.decisions().size() / (best / 1e9),
        plan.explanations().size());
  }

  private static World singles(int nodes, int jobs, boolean quota) {
    Scene scene = new Scene();
    scene.cluster("eu-1").nodes(nodes, 8, "H100");
    QuotaNodeId queue = scene.quotas.getFirst().id();
    if (quota) {
      QuotaNodeId root = scene.group("root", limits(100_000));
      queue = scene.queue("team", root, QueueSettings.DEFAULT, limits(1000));
    }
    Random random = new Random(1);
    for (int i = 0; i < jobs; i++) {
      int gpus = List.of(1, 1, 1, 2, 2, 4).get(random.nextInt(6));
      scene.job("j" + i).gpus(gpus).cpu(1 + random.nextInt(8)).age(i % 1000).queue("team", queue);
    }
    return scene.world();
  }

  private static World gangs(int nodes, int jobs) {
    Scene scene = new Scene();
    scene.cluster("eu-1").nodes(nodes, 8, "H100");
    for (int i = 0; i < jobs; i++) {
      scene.job("j" + i).gang(4).gpus(8).age(i);
    }
    return scene.world();
  }

  private static World oneGang(String level, boolean required) {
    Scene scene = new Scene();
    NodeBuilder nodes = scene.cluster("eu-1");
    for (int rack = 0; rack < 32; rack++) {
      nodes.rack("r" + rack).nodes(16, 8, "H100");
    }
    JobBuilder job = scene.job("gang").gang(512).gpus(8);
    if (required) {
      job.inOne(level);
    } else {
      job.preferring(level);
    }
    return scene.world();
  }

  private static World large() {
    Scene scene = new Scene();
    NodeBuilder nodes = scene.cluster("eu-1");
    for (int i = 0; i < 10_000; i++) {
      nodes.used(i % 4 == 0 ? 0 : 8).nodes(1, 8, "H100");
    }
    Random random = new Random(1);
    List<dev.fairlead.work.world.PendingJob> pending = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      JobBuilder job = new JobBuilder("j" + i, i, scene.quotas.getFirst().id());
      job.gpus(1 + random.nextInt(8)).cpu(4 + random.nextInt(38)).age(random.nextInt(10_000));
      pending.add(job.pending());
    }
    World world = scene.world();
    return world.toBuilder().pending(pending).live(List.of()).build();
  }

  private static QuotaLimit[] limits(long gpus) {
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    return new QuotaLimit[] {
      new QuotaLimit(flavor, "gpu", gpus * 1000, null, null),
      new QuotaLimit(flavor, "cpu", gpus * 16_000, null, null),
      new QuotaLimit(flavor, "memory", gpus * 128_000, null, null),
      new QuotaLimit(flavor, "pods", gpus, null, null)
    };
  }
}

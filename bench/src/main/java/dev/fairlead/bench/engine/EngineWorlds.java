package dev.fairlead.bench.engine;

import dev.fairlead.job.TopologySpec;
import dev.fairlead.resources.GpuRequest;
import dev.fairlead.world.World;
import java.util.Random;

/** What the engine is measured on; drawn from fixed seeds. */
enum EngineWorlds {
  /** 6,000 whole-GPU jobs for 1,213 empty nodes. */
  SINGLES {
    @Override
    World make() {
      WorldBuilder world = new WorldBuilder(false).nodes(1213, 0);
      Random random = new Random(1);
      for (int i = 0; i < 6000; i++) {
        int gpus = 1 << Math.max(0, random.nextInt(6) - 3);
        world.job(GpuRequest.whole(gpus), 1 + random.nextInt(8), 1, null);
      }
      return world.build();
    }
  },

  /** 9,000 jobs for 1,213 empty nodes that share GPUs, most of them for a part of one. */
  SHARED {
    @Override
    World make() {
      WorldBuilder world = new WorldBuilder(true).nodes(1213, 0);
      Random random = new Random(1);
      for (int i = 0; i < 9000; i++) {
        boolean part = random.nextInt(10) < 7;
        int each = 1 + random.nextInt(9);
        GpuRequest gpu =
            part ? GpuRequest.fraction(each * 100) : GpuRequest.whole(1 << random.nextInt(4));
        world.job(gpu, 1 + random.nextInt(12), 1, null);
      }
      return world.build();
    }
  },

  /** 10,000 nodes, 60,000 of 80,000 GPUs taken, 100,000 jobs of 300 shapes wait. */
  FULL_CYCLE {
    @Override
    World make() {
      WorldBuilder world = new WorldBuilder(false).nodes(7500, 8).nodes(2500, 0);
      return waiting(world).build();
    }
  },

  /** The same with no GPU free: nothing starts, all is explained. */
  EXPLANATION {
    @Override
    World make() {
      return waiting(new WorldBuilder(false).nodes(10_000, 8)).build();
    }
  },

  /** 512 members of 8 GPUs on 512 nodes, in one block, racks preferred. */
  GANG {
    @Override
    World make() {
      return new WorldBuilder(false)
          .nodes(512, 0)
          .job(GpuRequest.whole(8), 16, 512, new TopologySpec("block", TopologySpec.Mode.REQUIRED))
          .build();
    }
  };

  abstract World make();

  private static WorldBuilder waiting(WorldBuilder world) {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      world.job(GpuRequest.whole(1 + random.nextInt(8)), 4 + random.nextInt(38), 1, null);
    }
    return world;
  }
}

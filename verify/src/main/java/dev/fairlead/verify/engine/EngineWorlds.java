package dev.fairlead.verify.engine;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Snapshots for the measurement of the engine, drawn from fixed seeds. */
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

  /** 9,000 jobs for 1,213 empty nodes that share GPUs. Most request a part of a GPU. */
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

  /** 10,000 nodes with 60,000 of 80,000 GPUs in use, and 100,000 waiting jobs of 300 shapes. */
  FULL_CYCLE {
    @Override
    World make() {
      WorldBuilder world = new WorldBuilder(false).nodes(7500, 8).nodes(2500, 0);
      return waiting(world).build();
    }
  },

  /** The world after 50 running jobs have ended and 50 jobs were submitted. */
  AFTER_100_CHANGES {
    @Override
    World make() {
      return changed(FULL_CYCLE.make());
    }
  },

  /** The world without a free GPU: no job starts, and every job is explained. */
  EXPLANATION {
    @Override
    World make() {
      return waiting(new WorldBuilder(false).nodes(10_000, 8)).build();
    }
  },

  /** The world without a free GPU, in a queue that may evict lower priorities but finds none. */
  EVICTION {
    @Override
    World make() {
      return waiting(new WorldBuilder(false).nodes(10_000, 8).evicting()).build();
    }
  },

  /**
   * 20,000 gangs, almost all of different shapes, each for one rack of 10,000 nodes without a free
   * GPU.
   */
  MANY_SHAPES {
    @Override
    World make() {
      WorldBuilder world = new WorldBuilder(false).nodes(10_000, 8);
      Random random = new Random(1);
      for (int i = 0; i < 20_000; i++) {
        world.job(
            GpuRequest.whole(1 + random.nextInt(8)),
            1 + random.nextInt(180),
            1 + random.nextInt(32),
            new TopologySpec("rack", TopologySpec.Mode.REQUIRED));
      }
      return world.build();
    }
  },

  /** 512 members of 8 GPUs on 512 nodes, in one block, with racks preferred. */
  GANG {
    @Override
    World make() {
      return new WorldBuilder(false)
          .nodes(512, 0)
          .job(GpuRequest.whole(8), 16, 512, new TopologySpec("block", TopologySpec.Mode.REQUIRED))
          .build();
    }
  };

  private static final int CHANGES = 50;

  /** Snapshot of the plan before the measured one. The same if there is only one plan. */
  World before() {
    return this == AFTER_100_CHANGES ? FULL_CYCLE.make() : make();
  }

  World after(World before) {
    return this == AFTER_100_CHANGES ? changed(before) : before;
  }

  abstract World make();

  /** Floor of the time of one plan, ms. */
  long mostMillis() {
    return switch (this) {
      case SINGLES, SHARED -> Long.MAX_VALUE;
      case FULL_CYCLE, EXPLANATION, EVICTION, MANY_SHAPES -> 5000;
      case AFTER_100_CHANGES -> 250;
      case GANG -> 100;
    };
  }

  /** Floor of decisions in a second, 0 for none. */
  long leastPerSecond() {
    return switch (this) {
      case SINGLES, SHARED -> 20_000;
      case FULL_CYCLE, EXPLANATION, EVICTION, MANY_SHAPES, AFTER_100_CHANGES, GANG -> 0;
    };
  }

  /**
   * The snapshot after 50 running jobs have ended, each on a different node, and the first 50
   * pending jobs were submitted again.
   */
  static World changed(World world) {
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    List<Node> nodes = new ArrayList<>(world.nodes());
    List<PendingJob> pending = new ArrayList<>(world.pending());
    for (int i = 0; i < CHANGES; i++) {
      live.removeLast();
      nodes.set(i * 100, WorldBuilder.node(i * 100, WorldBuilder.GPUS - 1));
      pending.add(WorldBuilder.again(world.pending().get(i), world.pending().size() + i + 1));
    }
    return world.toBuilder()
        .asOf(world.asOf().plusSeconds(1))
        .nodes(nodes)
        .pending(pending)
        .live(live)
        .build();
  }

  private static WorldBuilder waiting(WorldBuilder world) {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      world.job(GpuRequest.whole(1 + random.nextInt(8)), 4 + random.nextInt(38), 1, null);
    }
    return world;
  }
}

package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Worlds with nodes in shared pools and in pools of the jobs' tenant and of another. A label of
 * each node states its capacity type. A third of the jobs name pools.
 */
final class Pooled {
  private static final int MOST_JOBS = 20;
  private static final TenantId OTHER = new TenantId(new UUID(9, 99));
  private static final String LABEL = "fairlead.dev/capacity-type";

  private Pooled() {}

  static World world(long seed) {
    Random random = new Random(seed);
    World world = RandomScene.world(seed, MOST_JOBS);
    List<Node> nodes = world.nodes().stream().map(node -> marked(node, world, random)).toList();
    List<PendingJob> pending = world.pending().stream().map(job -> wishing(job, random)).toList();
    return world.toBuilder().nodes(nodes).pending(pending).build();
  }

  private static Node marked(Node node, World world, Random random) {
    TreeMap<String, String> labels = new TreeMap<>(node.labels());
    switch (random.nextInt(6)) {
      case 0 -> labels.put(LABEL, "reserved");
      case 1 -> labels.put(LABEL, "on-demand");
      default -> {}
    }
    return node.withPool(pool(world, random)).withStatus(node.status().labelled(labels));
  }

  private static @Nullable NodePool pool(World world, Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> new NodePool("shared", null, Spares.NONE, PoolWindows.NONE);
      case 1 ->
          new NodePool(
              "own", world.quotaNodes().getFirst().tenant(), Spares.NONE, PoolWindows.NONE);
      case 2 -> new NodePool("theirs", OTHER, Spares.NONE, PoolWindows.NONE);
      default -> null;
    };
  }

  private static PendingJob wishing(PendingJob pending, Random random) {
    if (random.nextInt(3) > 0) {
      return pending;
    }
    List<String> names = new ArrayList<>(List.of("shared", "own", "theirs"));
    names.remove(random.nextInt(names.size()));
    JobSpec spec = pending.job().spec();
    PlacementSpec placement = spec.placement().with().pools(names).build();
    return Worlds.spec(pending, SmallerSpecs.with(spec, spec.roles(), placement));
  }
}

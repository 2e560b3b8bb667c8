package dev.fairlead.placement.laws;

import dev.fairlead.cluster.Gpu;
import dev.fairlead.cluster.Node;
import dev.fairlead.job.GpuShare;
import dev.fairlead.job.Member;
import dev.fairlead.placement.After;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.world.World;
import java.util.ArrayList;
import java.util.List;

/** The world once a running job has ended: its nodes, GPUs and quota are free. */
public final class Ended {
  private Ended() {}

  public static World of(World world, World.LiveAttempt gone) {
    List<Node> nodes = new ArrayList<>(world.nodes());
    for (Member member : gone.attempt().members()) {
      nodes.replaceAll(n -> n.id().equals(member.node()) ? released(n, member) : n);
    }
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    gone.attempt().charges().forEach((cell, amount) -> tree.free(gone.job().queue(), cell, amount));
    World freed = Changed.uses(Changed.nodes(world, nodes), tree.uses());
    return Changed.live(freed, Changed.without(world.live(), gone));
  }

  private static Node released(Node node, Member member) {
    List<Gpu> gpus = new ArrayList<>(node.gpus());
    for (GpuShare share : member.gpus()) {
      gpus.replaceAll(g ->
          g.index() == share.index()
              ? new Gpu(
                  g.index(),
                  g.serial(),
                  g.state(),
                  g.allocatedMilli() - share.milli(),
                  g.slices() & ~share.slices())
              : g);
    }
    return After.with(node, node.allocated().minus(member.request()), gpus);
  }
}

package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;

/** The world after the end of a running job: its nodes, GPUs and quota are free. */
public final class Ended {
  private Ended() {}

  public static World of(World world, World.LiveAttempt gone) {
    List<Node> nodes = new ArrayList<>(world.nodes());
    for (Member member : gone.attempt().members()) {
      nodes.replaceAll(n -> n.id().equals(member.node()) ? released(n, member) : n);
    }
    QuotaTree tree = new QuotaTree(world.quotaNodes(), world.quotaUses());
    boolean nonPreemptible = gone.job().spec().nonPreemptible();
    gone.attempt()
        .charges()
        .forEach((cell, amount) -> tree.free(gone.job().queue(), cell, amount, nonPreemptible));
    World freed = Changed.uses(Changed.nodes(world, nodes), tree.uses());
    return Changed.live(freed, Changed.without(world.live(), gone));
  }

  /** The world after an attempt's leaving members have left. */
  public static World partly(World world, World.LiveAttempt shrinks) {
    List<Member> going = shrinks.attempt().members().stream().filter(Member::leaves).toList();
    List<Member> rest = new ArrayList<>(shrinks.attempt().members());
    rest.removeAll(going);
    List<Member> left = new ArrayList<>(shrinks.attempt().left());
    going.forEach(m -> left.add(m.left(world.asOf())));
    World.LiveAttempt gone = new World.LiveAttempt(shrinks.attempt().with(going), shrinks.job());
    World freed = of(world, gone);
    List<World.LiveAttempt> live = new ArrayList<>(world.live());
    live.replaceAll(l ->
        l.attempt().id().equals(shrinks.attempt().id())
            ? new World.LiveAttempt(shrinks.attempt().with(rest, left), shrinks.job())
            : l);
    return Changed.live(freed, live);
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

package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.placement.RandomScene;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/**
 * With one pending job, an additional node, the end of a running job or a raised limit never makes
 * the job unplaceable.
 */
final class MoreNeverHarms implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    World donor = RandomScene.world(random.nextLong(), 1);
    for (PendingJob pending : world.pending()) {
      World alone = Changed.pending(world, List.of(pending));
      if (Planned.of(alone).started(pending.job().id()) == pending.offers().size()) {
        Optional<String> harmed = harmed(alone, donor, random);
        if (harmed.isPresent()) {
          return harmed;
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<String> harmed(World alone, World donor, Random random) {
    if (!alone.clusters().isEmpty() && !donor.nodes().isEmpty()) {
      List<Node> nodes = new ArrayList<>(alone.nodes());
      nodes.add(extra(donor, alone, random));
      if (!starts(Changed.nodes(alone, nodes))) {
        return Optional.of("does not start with one more node: " + nodes.getLast());
      }
    }
    if (!alone.live().isEmpty()) {
      World.LiveAttempt gone = alone.live().get(random.nextInt(alone.live().size()));
      if (!starts(Ended.of(alone, gone))) {
        return Optional.of("does not start once " + gone.job().name() + " is gone");
      }
    }
    return starts(Changed.quotas(alone, raised(alone.quotaNodes())))
        ? Optional.empty()
        : Optional.of("does not start with every limit raised");
  }

  private static boolean starts(World alone) {
    PendingJob only = alone.pending().getFirst();
    JobId id = only.job().id();
    return Planned.of(alone).started(id) == only.offers().size();
  }

  private static Node extra(World donor, World world, Random random) {
    Node n = donor.nodes().get(random.nextInt(donor.nodes().size()));
    ClusterId cluster = world.clusters().get(random.nextInt(world.clusters().size())).id();
    return new Node(new NodeId(new UUID(7, 7)), cluster, "extra", n.version(), null, n.status());
  }

  private static List<QuotaNode> raised(List<QuotaNode> nodes) {
    return nodes.stream()
        .map(n -> Worlds.limited(n, n.limits().stream().map(MoreNeverHarms::raised).toList()))
        .toList();
  }

  private static QuotaLimit raised(QuotaLimit l) {
    Long nominal = l.nominal() == null ? null : l.nominal() + 1000;
    return new QuotaLimit(l.flavor(), l.resource(), nominal, l.borrowingLimit(), l.lendingLimit());
  }
}

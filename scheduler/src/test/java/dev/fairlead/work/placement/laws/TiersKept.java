package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Starts and reservations are in a tier of the queue that is open to the job, at a price within the
 * cap of the tier and of the job. Fails when FlavorAssignments.of accepts assignments of closed
 * tiers, or of no tier.
 */
final class TiersKept implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Map<NodeId, Node> nodes = new TreeMap<>();
    world.nodes().forEach(node -> nodes.put(node.id(), node));
    Map<JobId, Job> jobs = new TreeMap<>();
    world.pending().forEach(pending -> jobs.put(pending.job().id(), pending.job()));
    for (Decision decision : Planned.of(world).plan().decisions()) {
      Job job = jobs.get(decision.job());
      for (Member member : members(decision)) {
        if (job != null && !allowed(world, job, member, nodes.get(member.node()))) {
          return Optional.of(job.name() + " goes to " + member.nodeName() + " by " + decision);
        }
      }
    }
    return Optional.empty();
  }

  private static List<Member> members(Decision decision) {
    return switch (decision) {
      case Decision.Place place -> place.members();
      case Decision.Preempt preempt -> preempt.reservation().members();
      case Decision.MoveBack back -> back.reservation().members();
      case Decision.Reserve reserve -> reserve.reservation().members();
      case Decision.Hold _, Decision.Expire _, Decision.Ask _, Decision.Grow _, Decision.Shrink _ ->
          List.of();
      case Decision.Release _, Decision.Leftover _ -> List.of();
    };
  }

  private static boolean allowed(World world, Job job, Member member, Node node) {
    RoutingPolicy policy =
        world.quotaNodes().stream()
            .filter(q -> q.id().equals(job.queue()))
            .map(QuotaNode::queue)
            .findFirst()
            .orElseThrow()
            .routing();
    Duration waited = Waited.inAll(job, world.asOf());
    boolean pays =
        member.request().amount(ResourceNames.GPU) == 0
            || job.spec()
                .placement()
                .affords(
                    cluster(world, node.cluster()).capacityOf(node), price(world, member, node));
    return pays
        && (policy.none()
            || policy.tiers().stream()
                .filter(tier -> tier.after().compareTo(waited) <= 0)
                .anyMatch(tier -> takes(tier, world, member, node)));
  }

  private static boolean takes(RoutingPolicy.Tier tier, World world, Member member, Node node) {
    Cluster cluster = cluster(world, node.cluster());
    NodePool pool = node.pool();
    boolean gpus = member.request().amount(ResourceNames.GPU) > 0;
    return tier.selects(cluster.name(), pool == null ? null : pool.name(), cluster.capacityOf(node))
        && (!gpus || tier.affords(price(world, member, node)));
  }

  private static @Nullable Money price(World world, Member member, Node node) {
    Cluster cluster = cluster(world, node.cluster());
    NodePool pool = node.pool();
    return world
        .prices()
        .at(
            cluster.id(),
            pool == null ? null : pool.name(),
            member.flavor().model(),
            cluster.capacityOf(node),
            world.asOf())
        .map(Price::perUnit)
        .orElse(null);
  }

  private static Cluster cluster(World world, ClusterId id) {
    return world.clusters().stream().filter(c -> c.id().equals(id)).findFirst().orElseThrow();
  }
}

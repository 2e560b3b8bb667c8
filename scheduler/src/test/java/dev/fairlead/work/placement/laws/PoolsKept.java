package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * Jobs start in pools that their tenant may use and that the job names, with all members in one
 * pool, and in the capacity type that they are charged for. Fails when Assignments.allows ignores
 * the pool, or Fleet does not divide clusters.
 */
final class PoolsKept implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Map<NodeId, Node> nodes = new TreeMap<>();
    world.nodes().forEach(node -> nodes.put(node.id(), node));
    Map<ClusterId, Cluster> clusters = new TreeMap<>();
    world.clusters().forEach(cluster -> clusters.put(cluster.id(), cluster));
    Map<JobId, Job> jobs = new TreeMap<>();
    world.pending().stream().map(PendingJob::job).forEach(job -> jobs.put(job.id(), job));
    for (Decision.Place place : Planned.of(world).places()) {
      NodePool first = nodes.get(place.members().getFirst().node()).pool();
      for (Member member : place.members()) {
        Node node = nodes.get(member.node());
        boolean one = java.util.Objects.equals(first, node.pool());
        boolean paid = member.flavor().capacity() == clusters.get(node.cluster()).capacityOf(node);
        if (!one || !paid || !takes(node.pool(), jobs.get(place.job()))) {
          return Optional.of(jobs.get(place.job()).name() + " starts on " + node);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean takes(NodePool pool, Job job) {
    boolean named =
        job.spec().placement().pools().isEmpty()
            || pool != null && job.spec().placement().pools().contains(pool.name());
    return named && (pool == null || pool.serves(job.tenant()));
  }
}

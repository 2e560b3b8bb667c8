package dev.fairlead.placement.score;

import dev.fairlead.cluster.ClusterSettings.Scoring;
import dev.fairlead.job.Job;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;

/**
 * How single members find nodes: as the cluster's settings say. The default is fragmentation on
 * clusters that share GPUs, as soon as a job asks for a part of one, else best fit. Gangs are
 * packed into few domains; where the cluster spreads, onto many nodes inside a domain.
 */
public final class DefaultPolicy {
  private DefaultPolicy() {}

  public static void on(Fleet fleet, World world) {
    fleet.clusters().stream()
        .filter(c -> c.cluster().settings().scoring() == Scoring.SPREAD)
        .forEach(c -> c.chooseBy(Scorer.by(new SpreadScore(), c)));
    if (fleet.clusters().stream().noneMatch(DefaultPolicy::shares)) {
      return;
    }
    ShapeMix mix = mixOf(world);
    for (ClusterCapacity cluster : fleet.clusters()) {
      if (shares(cluster) && mix.asksParts()) {
        FragmentationScore score =
            new FragmentationScore(cluster.capacities(), mix, FragmentationScore.Prices.DEFAULT);
        cluster.chooseBy(Scorer.by(score, cluster));
      }
    }
  }

  private static boolean shares(ClusterCapacity cluster) {
    return cluster.cluster().capabilities().sharing()
        && cluster.cluster().settings().scoring() == Scoring.DEFAULT;
  }

  private static ShapeMix mixOf(World world) {
    ShapeMix mix = new ShapeMix();
    for (PendingJob pending : world.pending()) {
      add(mix, pending.job(), pending.offers().size());
    }
    for (World.LiveAttempt live : world.live()) {
      add(mix, live.job(), 1);
    }
    return mix;
  }

  private static void add(ShapeMix mix, Job job, long elements) {
    GangShape.of(job).roles().forEach(role -> mix.add(role, elements * role.count()));
  }
}

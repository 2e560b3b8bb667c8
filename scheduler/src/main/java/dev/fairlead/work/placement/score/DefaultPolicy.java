package dev.fairlead.work.placement.score;

import dev.fairlead.fleet.cluster.ClusterSettings.Scoring;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Sets how single members are placed, by the settings of each cluster. Clusters that share GPUs use
 * the fragmentation score by default, once a job requests a GPU fraction. All others use best fit.
 * Gangs are packed into few domains. On a cluster that spreads, they use many nodes inside a
 * domain.
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
    Elements elements = new Elements();
    for (PendingJob pending : world.pending()) {
      elements.add(pending.job(), pending.offers().size());
    }
    for (World.LiveAttempt live : world.live()) {
      elements.add(live.job(), 1);
    }
    return elements.mix();
  }

  /** Elements by their shared list of roles, in order of first appearance. */
  private static final class Elements {
    private final IdentityHashMap<List<RoleSpec>, Integer> places = new IdentityHashMap<>();
    private final List<Job> jobs = new ArrayList<>();
    private final List<Long> counts = new ArrayList<>();

    void add(Job job, long count) {
      Integer place = places.putIfAbsent(job.spec().roles(), jobs.size());
      if (place == null) {
        jobs.add(job);
        counts.add(count);
      } else {
        counts.set(place, counts.get(place) + count);
      }
    }

    ShapeMix mix() {
      ShapeMix mix = new ShapeMix();
      for (int i = 0; i < jobs.size(); i++) {
        long count = counts.get(i);
        GangShape.of(jobs.get(i)).roles().forEach(role -> mix.add(role, count * role.count()));
      }
      return mix;
    }
  }
}

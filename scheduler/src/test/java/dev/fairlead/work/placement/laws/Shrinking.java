package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Shrinks a world that breaks a law: removes jobs, nodes, clusters, limits and wishes while the law
 * stays broken.
 */
final class Shrinking {
  private static final int MOST_TRIES = 3000;

  private final Predicate<World> broken;
  private World smallest;
  private int tries;

  private Shrinking(World world, Predicate<World> broken) {
    smallest = world;
    this.broken = broken;
  }

  static World smallest(World world, Predicate<World> broken) {
    Shrinking shrinking = new Shrinking(world, broken);
    while (shrinking.pass() && shrinking.tries < MOST_TRIES) {
      // another pass may remove elements that became superfluous
    }
    return shrinking.smallest;
  }

  private boolean pass() {
    boolean smaller = false;
    boolean found = true;
    while (found && tries < MOST_TRIES) {
      found = false;
      for (World candidate : candidates(smallest)) {
        if (keep(candidate)) {
          found = true;
          smaller = true;
          break;
        }
      }
    }
    return smaller;
  }

  private boolean keep(World candidate) {
    tries++;
    boolean still = tries <= MOST_TRIES && broken.test(candidate);
    if (still) {
      smallest = candidate;
    }
    return still;
  }

  /** Smaller worlds, in order of decreasing steps. */
  private static List<World> candidates(World w) {
    List<World> all = new ArrayList<>();
    for (int chunk = Math.max(1, w.pending().size() / 2); chunk >= 1; chunk /= 2) {
      for (int from = 0; from + chunk <= w.pending().size(); from += chunk) {
        List<PendingJob> fewer = new ArrayList<>(w.pending());
        fewer.subList(from, from + chunk).clear();
        all.add(Changed.pending(w, fewer));
      }
    }
    for (PlaceFailure failure : w.placeFailures()) {
      all.add(Changed.failures(w, Changed.without(w.placeFailures(), failure)));
    }
    for (World.LiveAttempt live : w.live()) {
      all.add(Ended.of(w, live));
    }
    for (Cluster cluster : w.clusters()) {
      World without = Changed.clusters(w, Changed.without(w.clusters(), cluster));
      List<Node> left = w.nodes().stream().filter(n -> !n.cluster().equals(cluster.id())).toList();
      all.add(Changed.nodes(without, left));
    }
    for (Node node : w.nodes()) {
      all.add(Changed.nodes(w, Changed.without(w.nodes(), node)));
    }
    for (QuotaNode quota : w.quotaNodes()) {
      fewerLimits(w, quota, all);
    }
    for (PendingJob pending : w.pending()) {
      for (PendingJob simpler : simpler(pending)) {
        all.add(Changed.pending(w, Changed.replaced(w.pending(), pending, simpler)));
      }
    }
    return all;
  }

  private static void fewerLimits(World w, QuotaNode quota, List<World> into) {
    for (int i = -1; i < quota.limits().size(); i++) {
      List<dev.fairlead.fleet.quota.QuotaLimit> fewer = new ArrayList<>(quota.limits());
      if (i < 0) {
        fewer.clear();
      } else {
        fewer.remove(i);
      }
      if (!quota.limits().isEmpty()) {
        QuotaNode less = Worlds.limited(quota, fewer);
        into.add(Changed.quotas(w, Changed.replaced(w.quotaNodes(), quota, less)));
      }
    }
  }

  private static List<PendingJob> simpler(PendingJob p) {
    List<PendingJob> simpler = new ArrayList<>();
    if (p.offers().size() > 1) {
      simpler.add(new PendingJob(p.job(), p.offers().subList(0, 1), p.unmet(), p.deadDependency()));
    }
    JobSpec spec = p.job().spec();
    if (spec.roles().size() > 1) {
      for (RoleSpec role : spec.roles()) {
        List<RoleSpec> fewer = Changed.without(spec.roles(), role);
        simpler.add(Worlds.spec(p, SmallerSpecs.with(spec, fewer, spec.placement())));
      }
    }
    if (!spec.placement().equals(PlacementSpec.ANYWHERE)) {
      simpler.add(Worlds.spec(p, SmallerSpecs.with(spec, spec.roles(), PlacementSpec.ANYWHERE)));
    }
    for (RoleSpec role : spec.roles()) {
      if (role.count() > 1) {
        List<RoleSpec> roles = Changed.replaced(spec.roles(), role, SmallerSpecs.fewer(role));
        simpler.add(Worlds.spec(p, SmallerSpecs.with(spec, roles, spec.placement())));
      }
    }
    return simpler;
  }
}

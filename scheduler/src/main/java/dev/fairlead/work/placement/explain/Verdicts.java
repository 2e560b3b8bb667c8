package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.placement.gang.GangCapacity;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.FitSummary;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.TierRule;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts the nodes of each allowed cluster by the first constraint that refuses one member. For
 * every flavor that a role accepts on the cluster, it uses the most demanding role that does not
 * fit, or the most demanding role if all fit.
 */
final class Verdicts {
  private static final String WINDOW = "WINDOW";

  /**
   * Used for a cluster without a window that is closed to the job because it refused the job's
   * pods.
   */
  private static final String CLUSTER = "CLUSTER";

  /** No open tier of the queue's routing policy accepts the price. */
  private static final String TIER = "TIER";

  /** The price exceeds the job's cap. */
  private static final String PRICE = "PRICE";

  /** Replaces the model if the cluster has none that the job accepts. */
  private static final String NO_MODEL = "GPU";

  private static final Comparator<MemberShape> DEMAND =
      Comparator.comparingInt(MemberShape::wholeGpus)
          .thenComparing(MemberShape::asksGpu)
          .thenComparingLong(MemberShape::cpuMilli)
          .thenComparingInt(r -> -r.role());

  private final Fleet fleet;
  private final WorkBudget work;

  Verdicts(Fleet fleet, WorkBudget work) {
    this.fleet = fleet;
    this.work = work;
  }

  /** Returns the verdicts by cluster, then pool, capacity type and model. */
  List<ClusterVerdict> of(GangShape gang) {
    List<ClusterVerdict> verdicts = new ArrayList<>();
    for (ClusterCapacity cluster : fleet.clusters()) {
      if (FlavorAssignments.allows(gang, cluster)) {
        byModel(gang, cluster)
            .forEach((model, roles) ->
                verdicts.add(verdict(cluster, gang, shortest(cluster, gang, roles, model), model)));
      }
    }
    return verdicts;
  }

  static MemberShape demanding(GangShape gang) {
    return gang.roles().stream().max(DEMAND).orElseThrow();
  }

  /**
   * Returns the roles by the models that they accept on the cluster, the most demanding role first.
   */
  private static SortedMap<String, List<MemberShape>> byModel(
      GangShape gang, ClusterCapacity cluster) {
    SortedMap<String, List<MemberShape>> byModel = new TreeMap<>();
    for (MemberShape role : gang.roles().stream().sorted(DEMAND.reversed()).toList()) {
      models(role, cluster)
          .forEach(m -> byModel.computeIfAbsent(m, none -> new ArrayList<>()).add(role));
    }
    return byModel;
  }

  private MemberShape shortest(
      ClusterCapacity cluster, GangShape gang, List<MemberShape> roles, String model) {
    if (roles.size() > 1 && !gang.closed(cluster.name(), cluster.pool())) {
      for (MemberShape role : roles) {
        work.spend(cluster.capacities().size());
        if (GangCapacity.now(cluster, gang, role, model).inDomain() < role.minCount()) {
          return role;
        }
      }
    }
    return roles.getFirst();
  }

  /** Returns the accepted models that the cluster has, or a placeholder for GPUs if it has none. */
  private static List<String> models(MemberShape role, ClusterCapacity cluster) {
    if (!role.asksGpu()) {
      return List.of(Flavor.CPU);
    }
    List<String> accepted = new ArrayList<>();
    for (String model : cluster.models()) {
      if (!model.equals(Flavor.CPU) && role.gpu().accepts(model, Long.MAX_VALUE)) {
        accepted.add(model);
      }
    }
    if (accepted.isEmpty()) {
      accepted.add(NO_MODEL);
    }
    return accepted;
  }

  private ClusterVerdict verdict(
      ClusterCapacity cluster, GangShape gang, MemberShape role, String model) {
    if (gang.closed(cluster.name(), cluster.pool())) {
      boolean window =
          !gang.closed().contains(cluster.name())
              || !cluster.cluster().settings().window().always();
      return closed(cluster, model, window ? WINDOW : CLUSTER);
    }
    boolean there = model.equals(Flavor.CPU) || cluster.has(model); // an absent model has no price
    if (there
        && (!TierRule.affords(gang.placement(), cluster, List.of(model), fleet)
            || FlavorAssignments.costsTooMuch(gang, cluster, model, fleet))) {
      return closed(cluster, model, PRICE);
    }
    if (there && !TierRule.open(gang.tiers(), cluster, model, fleet)) {
      return closed(cluster, model, TIER);
    }
    FitSummary summary = cluster.summary(role, model);
    work.spend(cluster.capacities().size());
    return new ClusterVerdict(
        cluster.name(),
        poolName(cluster),
        new Flavor(model, cluster.cluster().capacity()),
        cluster.capacities().size(),
        summary.filtered(),
        summary.exhausted(),
        best(cluster, gang, role, model));
  }

  /** Returns the name of the pool of these nodes, null if none. */
  static @Nullable String poolName(ClusterCapacity cluster) {
    NodePool pool = cluster.pool();
    return pool == null ? null : pool.name();
  }

  private static ClusterVerdict closed(ClusterCapacity cluster, String model, String why) {
    SortedMap<String, Integer> filtered = new TreeMap<>();
    filtered.put(why, cluster.capacities().size());
    return new ClusterVerdict(
        cluster.name(),
        poolName(cluster),
        new Flavor(model, cluster.cluster().capacity()),
        cluster.capacities().size(),
        filtered,
        Collections.emptySortedMap(),
        null);
  }

  private static ClusterVerdict.@Nullable BestDomain best(
      ClusterCapacity cluster, GangShape gang, MemberShape role, String model) {
    if (!GangCapacity.bound(gang, role)) {
      return null;
    }
    GangCapacity gangCapacity = GangCapacity.now(cluster, gang, role, model);
    String level = gangCapacity.level();
    String domain = gangCapacity.domain();
    return level == null || domain == null
        ? null
        : new ClusterVerdict.BestDomain(level, domain, gangCapacity.inDomain(), role.minCount());
  }
}

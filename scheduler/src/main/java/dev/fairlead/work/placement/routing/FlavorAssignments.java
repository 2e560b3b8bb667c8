package dev.fairlead.work.placement.routing;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Tiers;
import dev.fairlead.work.spec.PlacementSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the assignments of a job, in the order in which they are tried. The order is: tier of its
 * queue's routing policy and order inside the tier, capacity type, preferred cluster, preferred
 * pool (without a preference, pools of its tenant first), preferred model of its roles, models that
 * are not scarce, price of the minimum number of members (assignments without a price last), and
 * name.
 */
public final class FlavorAssignments {
  /**
   * Maximum number of mixed model combinations to try on one cluster, in addition to combinations
   * of one model.
   */
  private static final int MOST_COMBINATIONS = 64;

  private FlavorAssignments() {}

  /**
   * Returns the assignments on active clusters with windows that are long enough, in open tiers.
   */
  public static List<FlavorAssignment> of(GangShape gang, Fleet fleet) {
    List<FlavorAssignment> assignments = new ArrayList<>();
    for (ClusterCapacity cluster : fleet.clusters()) {
      boolean open =
          type(gang, cluster.cluster()) >= 0 && !gang.closed(cluster.name(), cluster.pool());
      if (open && allows(gang, cluster) && cluster.cluster().state() == ClusterState.ACTIVE) {
        for (FlavorAssignment assignment : assignments(gang, cluster, fleet)) {
          if (gang.tiers().opens(assignment.tier())) {
            assignments.add(assignment);
          }
        }
      }
    }
    List<TierOrder> inTier = TierOrder.of(gang, assignments, fleet);
    List<Ranked> ranked = new ArrayList<>();
    for (FlavorAssignment assignment : assignments) {
      ranked.add(rank(gang, assignment, inTier.get(ranked.size()), fleet.scarce()));
    }
    ranked.sort(Ranked.ORDER);
    return ranked.stream().map(Ranked::assignment).toList();
  }

  private static List<FlavorAssignment> assignments(
      GangShape gang, ClusterCapacity cluster, Fleet fleet) {
    return combinations(gang.roles(), cluster).stream()
        .map(m -> new FlavorAssignment(cluster, m, TierRule.of(gang, cluster, m, fleet)))
        .toList();
  }

  /**
   * Returns the assignments on all clusters that the gang may use, in service or not, in every
   * tier, by name.
   */
  public static List<FlavorAssignment> ever(GangShape gang, Fleet fleet) {
    return selected(gang, fleet).stream().filter(r -> r.tier() != Tiers.NO_TIER).toList();
  }

  /**
   * Returns the assignments that are too expensive, by name. A tier selects them, but no tier
   * accepts the current price, or they exceed the job's cap.
   */
  public static List<FlavorAssignment> tooDear(GangShape gang, Fleet fleet) {
    return selected(gang, fleet).stream().filter(r -> r.tier() == Tiers.NO_TIER).toList();
  }

  /**
   * Returns whether every assignment with this model on a part of a cluster exceeds the job's cap.
   */
  public static boolean costsTooMuch(
      GangShape gang, ClusterCapacity cluster, String model, Fleet fleet) {
    return gang.placement().maxCost() != null
        && combinations(gang.roles(), cluster).stream()
            .filter(models -> models.contains(model))
            .noneMatch(models -> TierRule.affordsAll(gang, cluster, models, fleet));
  }

  /**
   * Returns the assignments on active clusters that windows or refusals close to the gang now, in
   * every tier, by name.
   */
  public static List<FlavorAssignment> closed(GangShape gang, Fleet fleet) {
    return ever(gang, fleet).stream()
        .filter(r -> r.cluster().cluster().state() == ClusterState.ACTIVE)
        .filter(r -> gang.closed(r.cluster().name(), r.cluster().pool()))
        .toList();
  }

  private static List<FlavorAssignment> selected(GangShape gang, Fleet fleet) {
    List<FlavorAssignment> assignments = new ArrayList<>();
    for (ClusterCapacity cluster : fleet.clusters()) {
      if (allows(gang, cluster)) {
        assignments.addAll(assignments(gang, cluster, fleet));
      }
    }
    return assignments;
  }

  /** Returns whether the job may ever use the cluster. */
  public static boolean allows(GangShape gang, ClusterCapacity cluster) {
    return allows(gang.placement(), cluster.name())
        && allows(gang.placement(), cluster.cluster().capacity())
        && allows(gang, cluster.pool())
        && TierRule.selects(gang.tiers(), cluster);
  }

  /**
   * Returns whether the pool, null for nodes of none, serves the job's tenant and matches the pools
   * that the job names.
   */
  public static boolean allows(GangShape gang, @Nullable NodePool pool) {
    List<String> named = gang.placement().pools();
    boolean wanted = named.isEmpty() || pool != null && named.contains(pool.name());
    return wanted && (pool == null || pool.serves(gang.tenant()));
  }

  /** Returns whether the job's list of clusters contains the name. An empty list contains all. */
  public static boolean allows(PlacementSpec placement, String cluster) {
    return placement.clusters().isEmpty() || placement.clusters().contains(cluster);
  }

  /**
   * Returns whether the job may ever use the cluster's capacity type. An empty list contains all.
   */
  public static boolean allows(PlacementSpec placement, CapacityType type) {
    return placement.capacity().isEmpty() || placement.capacity().contains(type);
  }

  private static int type(GangShape gang, Cluster cluster) {
    List<CapacityType> types = gang.placement().capacity();
    return types.isEmpty() ? 0 : types.subList(0, gang.openTiers()).indexOf(cluster.capacity());
  }

  private static Collection<List<String>> combinations(
      List<MemberShape> roles, ClusterCapacity cluster) {
    List<List<String>> all = List.of(List.of());
    boolean cut = false;
    for (MemberShape role : roles) {
      List<List<String>> longer = new ArrayList<>();
      for (List<String> begun : all) {
        for (String model : accepted(role, cluster)) {
          List<String> more = new ArrayList<>(begun);
          more.add(model);
          longer.add(more);
        }
      }
      cut |= longer.size() > MOST_COMBINATIONS;
      all = longer.subList(0, Math.min(longer.size(), MOST_COMBINATIONS));
    }
    Set<List<String>> tried = new LinkedHashSet<>(all);
    if (cut) {
      tried.addAll(ofOneModel(roles, cluster));
    }
    return tried;
  }

  /** Returns the combinations with one model for all roles with GPUs. */
  private static List<List<String>> ofOneModel(List<MemberShape> roles, ClusterCapacity cluster) {
    List<List<String>> all = new ArrayList<>();
    for (String model : cluster.models()) {
      List<String> models =
          roles.stream().map(role -> role.asksGpu() ? model : Flavor.CPU).toList();
      boolean accepted =
          roles.stream()
              .allMatch(role -> accepted(role, cluster).contains(models.get(role.role())));
      if (accepted) {
        all.add(models);
      }
    }
    return all;
  }

  private static List<String> accepted(MemberShape role, ClusterCapacity cluster) {
    if (!role.asksGpu()) {
      return List.of(Flavor.CPU);
    }
    List<String> accepted = new ArrayList<>();
    for (String model : cluster.models()) {
      if (!model.equals(Flavor.CPU)
          && role.gpu().accepts(model, Long.MAX_VALUE)
          && hasMemory(role, cluster, model)) {
        accepted.add(model);
      }
    }
    accepted.sort(Comparator.comparingInt(m -> preference(role, m)));
    return accepted;
  }

  /**
   * Returns whether a GPU of the model in the cluster has the device memory that the role requests.
   */
  private static boolean hasMemory(MemberShape role, ClusterCapacity cluster, String model) {
    long least = role.gpu().minMemoryMiB();
    return least == 0 || cluster.leastDeviceMemory(model, least) > 0;
  }

  private static int preference(MemberShape role, String model) {
    List<String> asked = role.gpu().models();
    for (int i = 0; i < asked.size(); i++) {
      if (GpuModel.answers(model, asked.get(i))) {
        return i;
      }
    }
    return asked.size();
  }

  private static Ranked rank(
      GangShape gang,
      FlavorAssignment assignment,
      TierOrder inTier,
      SortedSet<String> scarceModels) {
    int preferences = 0;
    int scarce = 0;
    long price = 0;
    for (MemberShape role : gang.roles()) {
      if (role.asksGpu()) {
        String model = assignment.models().get(role.role());
        preferences += preference(role, model);
        scarce += scarceModels.contains(model) ? 1 : 0;
        Long each = assignment.cluster().cluster().pricePerGpuHour().get(model);
        long gpus = (long) role.minCount() * Math.max(1, role.wholeGpus());
        price =
            Saturating.plus(
                price, each == null ? Saturating.UNLIMITED : Saturating.times(each, gpus));
      }
    }
    int clusterRank = gang.placement().rank(assignment.cluster().name());
    int type = type(gang, assignment.cluster().cluster());
    int pool = preference(gang, assignment.cluster().pool());
    return FlavorAssignmentsRankedBuilder.builder()
        .assignment(assignment)
        .inTier(inTier)
        .type(type)
        .clusterRank(clusterRank)
        .pool(pool)
        .preferences(preferences)
        .scarce(scarce)
        .price(price)
        .build();
  }

  private static int preference(GangShape gang, @Nullable NodePool pool) {
    List<String> named = gang.placement().pools();
    if (named.isEmpty() || pool == null) {
      return pool == null || pool.tenant() == null ? 1 : 0;
    }
    return named.indexOf(pool.name());
  }

  @RecordBuilder
  record Ranked(
      FlavorAssignment assignment,
      TierOrder inTier,
      int type,
      int clusterRank,
      int pool,
      int preferences,
      int scarce,
      long price) {
    static final Comparator<Ranked> ORDER =
        Comparator.comparingInt((Ranked r) -> r.assignment().tier())
            .thenComparing(Ranked::inTier)
            .thenComparingInt(Ranked::type)
            .thenComparingInt(Ranked::clusterRank)
            .thenComparingInt(Ranked::pool)
            .thenComparingInt(Ranked::preferences)
            .thenComparingInt(Ranked::scarce)
            .thenComparingLong(Ranked::price)
            .thenComparing(r -> r.assignment().cluster().part())
            .thenComparing(r -> String.join(",", r.assignment().models()));
  }
}

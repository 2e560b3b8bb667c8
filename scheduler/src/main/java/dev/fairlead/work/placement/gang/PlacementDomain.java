package dev.fairlead.work.placement.gang;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A domain that holds all members, or the whole cluster.
 *
 * @param level position of the level, -1 for the whole cluster
 */
record PlacementDomain(int level, int domain) {
  static final PlacementDomain CLUSTER = new PlacementDomain(-1, -1);

  boolean holds(NodeCapacity capacity) {
    return level < 0 || capacity.domain(level) == domain;
  }

  List<NodeCapacity> of(List<NodeCapacity> capacities) {
    return level < 0 ? capacities : capacities.stream().filter(this::holds).toList();
  }

  /**
   * Returns the nodes of each domain of a level, in one pass over the nodes. The result is empty
   * for a level that the cluster lacks.
   */
  static List<List<NodeCapacity>> split(int level, Levels levels, List<NodeCapacity> capacities) {
    List<List<NodeCapacity>> inside = new ArrayList<>();
    for (int domain = 0; level >= 0 && domain < levels.count(level); domain++) {
      inside.add(new ArrayList<>());
    }
    for (NodeCapacity capacity : capacities) {
      int domain = level < 0 ? Levels.NONE : capacity.domain(level);
      if (domain != Levels.NONE) {
        inside.get(domain).add(capacity);
      }
    }
    return inside;
  }

  /** Equal members that need nodes in the same domain. */
  record Demand(List<NodeCapacity> capacities, ToIntFunction<NodeCapacity> fits, int members) {
    private int[] sums(int level, int domains) {
      long[] sums = new long[domains];
      for (NodeCapacity capacity : capacities) {
        int domain = capacity.domain(level);
        if (domain != Levels.NONE) {
          sums[domain] += fits.applyAsInt(capacity);
        }
      }
      int[] clamped = new int[domains];
      for (int i = 0; i < domains; i++) {
        clamped[i] = (int) Math.min(sums[i], Integer.MAX_VALUE);
      }
      return clamped;
    }
  }

  /**
   * Returns the domains to try, best first: domains of the level that satisfy every demand, ordered
   * by the tightest fit for the first demand. For a preference, domains of the wider levels and
   * finally the cluster follow.
   */
  static List<PlacementDomain> of(
      @Nullable TopologySpec topology, Levels levels, List<Demand> demands) {
    if (topology == null) {
      return List.of(CLUSTER);
    }
    int level = levels.position(topology.level());
    return switch (topology.mode()) {
      case REQUIRED -> level < 0 ? List.of() : domains(level, levels, demands);
      case PREFERRED -> {
        List<PlacementDomain> scopes = new ArrayList<>();
        for (int wider = level; wider >= 0; wider--) {
          scopes.addAll(domains(wider, levels, demands));
        }
        scopes.add(CLUSTER);
        yield scopes;
      }
    };
  }

  private static List<PlacementDomain> domains(int level, Levels levels, List<Demand> demands) {
    List<int[]> sums = demands.stream().map(w -> w.sums(level, levels.count(level))).toList();
    List<PlacementDomain> holding = new ArrayList<>();
    for (int domain = 0; domain < levels.count(level); domain++) {
      if (holds(domain, sums, demands)) {
        holding.add(new PlacementDomain(level, domain));
      }
    }
    int[] first = sums.getFirst();
    holding.sort(
        Comparator.comparingInt((PlacementDomain s) -> first[s.domain()])
            .thenComparingInt(PlacementDomain::domain));
    return holding;
  }

  private static boolean holds(int domain, List<int[]> sums, List<Demand> demands) {
    for (int i = 0; i < sums.size(); i++) {
      if (sums.get(i)[domain] < demands.get(i).members()) {
        return false;
      }
    }
    return true;
  }
}

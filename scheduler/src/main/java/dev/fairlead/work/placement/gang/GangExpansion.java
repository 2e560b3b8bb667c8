package dev.fairlead.work.placement.gang;

import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Places additional members of a running gang: inside the domain that its topology requires, as
 * near as it prefers, and within the limit of its spread.
 */
public final class GangExpansion {
  private final Ledger ledger;
  private final WorkBudget work;
  private final List<NodeCapacity> there;
  private final SortedMap<Integer, List<NodeCapacity>> byRole;

  /**
   * @param there nodes of the running members, one entry per member
   * @param byRole the same nodes by role
   */
  public GangExpansion(
      Ledger ledger,
      WorkBudget work,
      List<NodeCapacity> there,
      SortedMap<Integer, List<NodeCapacity>> byRole) {
    this.ledger = ledger;
    this.work = work;
    this.there = there;
    this.byRole = byRole;
  }

  /**
   * Allocates this many more members of each role.
   *
   * @return whether all members were placed. Otherwise nothing has changed
   */
  public boolean place(FlavorAssignment assignment, GangShape gang, int[] more) {
    int begin = ledger.mark();
    for (PlacementDomain scope : scopes(gang.placement().topology(), assignment, there)) {
      boolean all = true;
      for (MemberShape role : gang.roles()) {
        all = all && (more[role.role()] == 0 || place(assignment, gang, role, more, scope, begin));
      }
      if (all) {
        ledger.settle(begin);
        return true;
      }
      ledger.undo(begin);
    }
    return false;
  }

  private boolean place(
      FlavorAssignment assignment,
      GangShape gang,
      MemberShape role,
      int[] more,
      PlacementDomain scope,
      int begin) {
    Levels levels = assignment.cluster().levels();
    Optional<List<TopologyConstraint>> rules = TopologyConstraint.of(role, gang, levels);
    if (rules.isEmpty()) {
      return false;
    }
    List<TopologyConstraint> beside =
        rules.get().stream()
            .map(r -> r.capped() ? r.beside(domains(r.level(), ledger.since(begin))) : r)
            .toList();
    List<NodeCapacity> capacities =
        scope.of(assignment.cluster().admitting(role, assignment.models().get(role.role())));
    work.spend(capacities.size());
    List<NodeCapacity> near = byRole.getOrDefault(role.role(), List.of());
    for (PlacementDomain own : scopes(role.topology(), assignment, near)) {
      List<NodeCapacity> inside = own.of(capacities);
      List<NodeCapacity> plain = inside.stream().filter(r -> !r.hasGpus()).toList();
      if (!role.asksGpu() && pack(plain, role, beside, more[role.role()])
          || pack(inside, role, beside, more[role.role()])) {
        return true;
      }
    }
    return false;
  }

  private boolean pack(
      List<NodeCapacity> capacities,
      MemberShape role,
      List<TopologyConstraint> rules,
      int members) {
    Packing packing = new Packing(capacities, r -> r.fits(role), rules);
    if (packing.capacity() < members) {
      return false;
    }
    packing.into(ledger, role, members);
    return true;
  }

  /** Counts running and newly placed members by domain. */
  private SortedMap<Integer, Integer> domains(int level, List<NodeAllocation> placed) {
    SortedMap<Integer, Integer> domains = new TreeMap<>();
    there.forEach(capacity -> domains.merge(capacity.domain(level), 1, Integer::sum));
    placed.forEach(taken -> domains.merge(taken.capacity().domain(level), 1, Integer::sum));
    return domains;
  }

  /**
   * Returns the domains of the running members, and other domains only if topology is a preference.
   */
  private static List<PlacementDomain> scopes(
      @Nullable TopologySpec topology, FlavorAssignment assignment, List<NodeCapacity> running) {
    if (topology == null || running.isEmpty()) {
      return List.of(PlacementDomain.CLUSTER);
    }
    int level = assignment.cluster().levels().position(topology.level());
    int widest = topology.mode() == TopologySpec.Mode.REQUIRED ? level : 0;
    List<PlacementDomain> scopes = new ArrayList<>();
    for (int at = level; at >= widest && at >= 0; at--) {
      int domain = running.getFirst().domain(at);
      if (domain != Levels.NONE) {
        scopes.add(new PlacementDomain(at, domain));
      }
    }
    if (topology.mode() == TopologySpec.Mode.PREFERRED) {
      scopes.add(PlacementDomain.CLUSTER);
    }
    return scopes;
  }
}

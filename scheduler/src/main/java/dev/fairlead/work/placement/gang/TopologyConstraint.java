package dev.fairlead.work.placement.gang;

import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.topology.Levels;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A rule for the distribution of members over the domains of one level.
 *
 * @param level position of the level in its cluster
 * @param cap maximum number of members in one domain
 * @param multiple size of the groups of members in one domain
 * @param taken members of other roles that count towards the cap, by domain
 */
record TopologyConstraint(int level, int cap, int multiple, SortedMap<Integer, Integer> taken) {
  private TopologyConstraint(int level, int cap, int multiple) {
    this(level, cap, multiple, Collections.emptySortedMap());
  }

  /** Returns whether nodes without a domain at the level are excluded. */
  boolean binding() {
    return cap < Integer.MAX_VALUE || multiple > 1;
  }

  /** Returns this rule with members of other roles in its domains. */
  TopologyConstraint beside(SortedMap<Integer, Integer> others) {
    return new TopologyConstraint(level, cap, multiple, others);
  }

  /** Returns whether members of all roles count together. */
  boolean capped() {
    return cap < Integer.MAX_VALUE;
  }

  /** Returns how many of the members a domain can take. */
  int allowed(int domain, int members) {
    int capped = Math.clamp(members, 0, Math.max(0, cap - taken.getOrDefault(domain, 0)));
    return capped - capped % multiple;
  }

  private TopologyConstraint both(TopologyConstraint other) {
    return new TopologyConstraint(
        level, Math.min(cap, other.cap), Math.max(multiple, other.multiple));
  }

  /**
   * Returns the rules of a role, widest level first: few domains of its topology level and of the
   * levels below, groups of a segment, and caps of a spread. The result is empty if the cluster
   * lacks a level that is binding.
   */
  static Optional<List<TopologyConstraint>> of(MemberShape role, GangShape gang, Levels levels) {
    PlacementSpec placement = gang.placement();
    SortedMap<Integer, TopologyConstraint> rules = new TreeMap<>();
    for (TopologySpec topology : requests(role, placement)) {
      int from = levels.position(topology.level());
      for (int level = Math.max(from, 0); from >= 0 && level < levels.names().size() - 1; level++) {
        rules.put(level, new TopologyConstraint(level, Integer.MAX_VALUE, 1));
      }
    }
    PlacementSpec.Segment segment = placement.segment();
    PlacementSpec.Spread spread = placement.spread();
    if (segment != null && levels.position(segment.level()) < 0
        || spread != null && levels.position(spread.level()) < 0) {
      return Optional.empty();
    }
    if (segment != null) {
      add(
          rules,
          new TopologyConstraint(
              levels.position(segment.level()), Integer.MAX_VALUE, gang.grouped(role)));
    }
    if (spread != null) {
      add(
          rules,
          new TopologyConstraint(
              levels.position(spread.level()), Math.max(0, spread.maxPerDomain()), 1));
    }
    return Optional.of(List.copyOf(rules.values()));
  }

  private static void add(SortedMap<Integer, TopologyConstraint> rules, TopologyConstraint rule) {
    rules.merge(rule.level(), rule, TopologyConstraint::both);
  }

  private static List<TopologySpec> requests(MemberShape role, PlacementSpec placement) {
    List<TopologySpec> requests = new ArrayList<>();
    if (placement.topology() != null) {
      requests.add(placement.topology());
    }
    if (role.topology() != null) {
      requests.add(role.topology());
    }
    return requests;
  }
}

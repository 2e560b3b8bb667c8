package dev.fairlead.work.placement.gang;

import dev.fairlead.fleet.cluster.ClusterSettings.Scoring;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.NodeChoice;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.score.NodePreference;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Places all members of an element on one assignment, or none. The search is exact for one role.
 * Several roles are tried largest members first, then smallest first, then the role with the fewest
 * domains first, over the domains that can hold each role. After {@value #MOST_DEAD_ENDS} layouts
 * of the first roles left too little capacity for the others, {@link RolePacking} continues the
 * search. Members are packed into few domains and nodes. On a cluster that spreads, members of one
 * domain get different nodes if all then fit, and GPU fractions without a domain constraint are
 * placed by the cluster's score like single members.
 */
public final class GangPlacer {
  private static final Comparator<Part> LARGEST_FIRST =
      Comparator.comparingLong((Part p) -> -p.role.gpu().milliOn(p.deviceMemory))
          .thenComparingLong(p -> -p.role.cpuMilli())
          .thenComparingLong(p -> -p.role.memoryMiB())
          .thenComparingInt(p -> p.role.role());

  /**
   * Limits the search, because the number of layouts grows with the domains to the power of the
   * roles. The limit is a constant and not the remaining work budget, so that equal rows produce
   * equal plans.
   */
  static final int MOST_DEAD_ENDS = 256;

  private final Ledger ledger;
  private final WorkBudget work;
  private boolean cut;
  private boolean eachHasRoom;

  public GangPlacer(Ledger ledger, WorkBudget work) {
    this.ledger = ledger;
    this.work = work;
  }

  /** A role during placement: its number of members, candidate nodes and rules. */
  private record Part(
      MemberShape role,
      int members,
      List<NodeCapacity> capacities,
      List<TopologyConstraint> rules,
      long deviceMemory) {
    Part of(List<NodeCapacity> some) {
      return new Part(role, members, some, rules, deviceMemory);
    }

    /** Returns this part with members of other roles that are already placed. */
    Part beside(List<NodeAllocation> others) {
      if (others.isEmpty() || rules.stream().noneMatch(TopologyConstraint::capped)) {
        return this;
      }
      List<TopologyConstraint> now =
          rules.stream().map(r -> r.capped() ? r.beside(domains(r.level(), others)) : r).toList();
      return new Part(role, members, capacities, now, deviceMemory);
    }

    private static SortedMap<Integer, Integer> domains(int level, List<NodeAllocation> members) {
      SortedMap<Integer, Integer> domains = new TreeMap<>();
      members.forEach(m -> domains.merge(m.capacity().domain(level), 1, Integer::sum));
      return domains;
    }

    /** Returns whether a topology of the role, a spread or segments constrain its members. */
    boolean ruled() {
      return role.topology() != null || rules.stream().anyMatch(TopologyConstraint::binding);
    }

    PlacementDomain.Demand demand() {
      return new PlacementDomain.Demand(capacities, r -> r.fits(role), members);
    }
  }

  /**
   * Allocates this many members of each role.
   *
   * @return whether all members were placed. Otherwise nothing has changed
   */
  public boolean place(FlavorAssignment assignment, GangShape gang, int[] counts) {
    int mark = ledger.mark();
    boolean placed = places(assignment, gang, counts);
    if (placed && !gang.neighbours().any()) {
      ledger.settle(mark);
    }
    return placed;
  }

  private boolean places(FlavorAssignment assignment, GangShape gang, int[] counts) {
    cut = false;
    eachHasRoom = false;
    if (counts.length == 1 && counts[0] == 1 && unbound(gang)) {
      return placeOne(assignment, gang.roles().getFirst());
    }
    List<Part> parts = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      Part part = part(assignment, gang, role, counts[role.role()]);
      if (part == null) {
        return false;
      }
      parts.add(part);
    }
    parts.sort(LARGEST_FIRST);
    boolean spreads = assignment.cluster().cluster().settings().scoring() == Scoring.SPREAD;
    return byScore(assignment, gang, counts)
        || spreads && places(assignment.cluster(), gang, parts, true)
        || places(assignment.cluster(), gang, parts, false)
        || eachHasRoom && packs(assignment.cluster(), gang, parts);
  }

  /** Returns whether the last gang that was not placed could fit in a layout that was not tried. */
  public boolean cut() {
    return cut;
  }

  /** Packs roles with whole GPUs on unevenly filled nodes, if no rule constrains these roles. */
  private boolean packs(ClusterCapacity cluster, GangShape gang, List<Part> largestFirst) {
    List<Part> whole = largestFirst.stream().filter(p -> p.role.wholeGpus() > 0).toList();
    cut = true;
    if (whole.isEmpty() || whole.stream().anyMatch(Part::ruled)) {
      return false;
    }
    RolePacking packing = new RolePacking(ledger, work);
    Scopes scopes = new Scopes(cluster, largestFirst);
    List<PlacementDomain.Demand> demands = largestFirst.stream().map(Part::demand).toList();
    for (PlacementDomain domain :
        PlacementDomain.of(gang.placement().topology(), cluster.levels(), demands)) {
      List<Part> parts = scopes.in(domain);
      List<RolePacking.Wanted> wanted =
          parts.stream()
              .filter(p -> p.role.wholeGpus() > 0)
              .map(p -> new RolePacking.Wanted(p.role, p.members, p.capacities))
              .toList();
      List<Part> others = parts.stream().filter(p -> p.role.wholeGpus() == 0).toList();
      int mark = ledger.mark();
      if (packing.place(wanted, () -> new Search(cluster, others, mark, false).placeFrom(0))) {
        return true;
      }
    }
    cut = packing.cut();
    return false;
  }

  /** Places members with GPU fractions one by one, by the cluster's score. */
  private boolean byScore(FlavorAssignment assignment, GangShape gang, int[] counts) {
    MemberShape member = gang.roles().getFirst();
    boolean part = member.asksGpu() && member.wholeGpus() == 0;
    if (counts.length > 1 || !part || !unbound(gang) || assignment.cluster().choice() == null) {
      return false;
    }
    int mark = ledger.mark();
    for (int placed = 0; placed < counts[0]; placed++) {
      if (!placeOne(assignment, member)) {
        ledger.undo(mark);
        return false;
      }
    }
    return true;
  }

  private boolean places(ClusterCapacity cluster, GangShape gang, List<Part> parts, boolean apart) {
    return place(cluster, gang, parts, apart)
        || parts.size() > 1
            && (place(cluster, gang, parts.reversed(), apart)
                || place(cluster, gang, fewestDomainsFirst(cluster, parts), apart));
  }

  /** A role that fits few domains is the most likely to find no capacity after the others. */
  private List<Part> fewestDomainsFirst(ClusterCapacity cluster, List<Part> parts) {
    Map<Part, Integer> holding = new LinkedHashMap<>();
    parts.forEach(p -> holding.put(p, domains(p, cluster).size()));
    return holding.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .toList();
  }

  private static boolean unbound(GangShape gang) {
    return gang.placement().topology() == null
        && gang.placement().segment() == null
        && gang.placement().spread() == null
        && gang.roles().getFirst().topology() == null;
  }

  private boolean placeOne(FlavorAssignment assignment, MemberShape member) {
    String model = assignment.models().get(member.role());
    work.spend(1);
    NodeChoice.Chosen chosen =
        assignment.cluster().choose(member, model, NodePreference.FULLEST_FIRST, work);
    if (chosen == null) {
      return false;
    }
    ledger.take(chosen, member);
    return true;
  }

  private @Nullable Part part(
      FlavorAssignment assignment, GangShape gang, MemberShape role, int members) {
    ClusterCapacity cluster = assignment.cluster();
    Optional<List<TopologyConstraint>> rules = TopologyConstraint.of(role, gang, cluster.levels());
    if (rules.isEmpty()) {
      return null;
    }
    String model = assignment.models().get(role.role());
    List<NodeCapacity> capacities = cluster.admitting(role, model);
    work.spend(cluster.capacities().size());
    long memory = cluster.leastDeviceMemory(model, role.gpu().minMemoryMiB());
    return new Part(role, members, capacities, rules.get(), memory);
  }

  private boolean place(ClusterCapacity cluster, GangShape gang, List<Part> parts, boolean apart) {
    List<PlacementDomain.Demand> demands = parts.stream().map(Part::demand).toList();
    Scopes scopes = new Scopes(cluster, parts);
    int mark = ledger.mark();
    for (PlacementDomain domain :
        PlacementDomain.of(gang.placement().topology(), cluster.levels(), demands)) {
      Search search = new Search(cluster, scopes.in(domain), mark, apart);
      boolean hopeless = parts.size() > 1 && !search.parts.stream().allMatch(search::hasRoom);
      eachHasRoom |= parts.size() > 1 && !hopeless;
      if (!hopeless && search.placeFrom(0)) {
        return true;
      }
      ledger.undo(mark);
    }
    return false;
  }

  /** Parts by domain of the gang. Their nodes are divided once for all domains of a level. */
  private final class Scopes {
    private final ClusterCapacity cluster;
    private final List<Part> parts;
    private final Map<Integer, List<List<List<NodeCapacity>>>> divided = new LinkedHashMap<>();

    Scopes(ClusterCapacity cluster, List<Part> parts) {
      this.cluster = cluster;
      this.parts = parts;
    }

    List<Part> in(PlacementDomain domain) {
      if (domain.level() < 0) {
        return parts;
      }
      List<List<List<NodeCapacity>>> inside =
          divided.computeIfAbsent(
              domain.level(), level -> parts.stream().map(p -> divided(level, p)).toList());
      return IntStream.range(0, parts.size())
          .mapToObj(i -> parts.get(i).of(inside.get(i).get(domain.domain())))
          .toList();
    }

    private List<List<NodeCapacity>> divided(int level, Part part) {
      work.spend(part.capacities.size());
      return PlacementDomain.split(level, cluster.levels(), part.capacities);
    }
  }

  /** Searches layouts of all parts in one domain of the gang. */
  private final class Search {
    private final ClusterCapacity cluster;
    private final List<Part> parts;
    private final int begin;
    private final boolean apart;
    private int deadEnds;

    /**
     * @param begin mark of the ledger before the first part
     * @param apart whether members go to different nodes if enough exist
     */
    Search(ClusterCapacity cluster, List<Part> parts, int begin, boolean apart) {
      this.cluster = cluster;
      this.parts = parts;
      this.begin = begin;
      this.apart = apart;
    }

    /**
     * Returns whether a part fits before any other part is placed. If it does not, no layout can
     * place it.
     */
    boolean hasRoom(Part part) {
      return domains(part, cluster).stream()
          .map(own -> inside(part, own))
          .anyMatch(own -> packing(own.capacities, own, apart).capacity() >= own.members);
    }

    /**
     * Places the parts from {@code next} on. The caller undoes the changes of a failure. A layout
     * that leaves too little capacity for the next part is a dead end.
     */
    boolean placeFrom(int next) {
      if (next == parts.size()) {
        return true;
      }
      Part part = parts.get(next).beside(ledger.since(begin));
      int mark = ledger.mark();
      for (PlacementDomain own : domains(part, cluster)) {
        if (!pack(inside(part, own), apart)) {
          continue;
        }
        if (placeFrom(next + 1)) {
          return true;
        }
        ledger.undo(mark);
        deadEnds++;
        if (deadEnds >= MOST_DEAD_ENDS) {
          return false;
        }
      }
      return false;
    }
  }

  private List<PlacementDomain> domains(Part part, ClusterCapacity cluster) {
    work.spend(part.role.topology() == null ? 0 : part.capacities.size());
    return PlacementDomain.of(part.role.topology(), cluster.levels(), List.of(part.demand()));
  }

  private Part inside(Part part, PlacementDomain own) {
    work.spend(own.level() < 0 ? 0 : part.capacities.size());
    return part.of(own.of(part.capacities));
  }

  /** Prefers nodes without GPUs for members without GPU, if these nodes have capacity for all. */
  private boolean pack(Part part, boolean apart) {
    if (!part.role.asksGpu()) {
      List<NodeCapacity> plain = part.capacities.stream().filter(r -> !r.hasGpus()).toList();
      if (packInto(plain, part, apart)) {
        return true;
      }
    }
    return packInto(part.capacities, part, apart);
  }

  private boolean packInto(List<NodeCapacity> capacities, Part part, boolean apart) {
    Packing packing = packing(capacities, part, apart);
    if (packing.capacity() < part.members) {
      return false;
    }
    packing.into(ledger, part.role, part.members);
    return true;
  }

  private Packing packing(List<NodeCapacity> capacities, Part part, boolean apart) {
    work.spend(capacities.size());
    return new Packing(capacities, r -> r.fits(part.role), part.rules, apart);
  }
}

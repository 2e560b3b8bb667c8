package dev.fairlead.placement.gang;

import dev.fairlead.placement.ledger.ClusterRoom;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.NodeChoice;
import dev.fairlead.placement.ledger.Room;
import dev.fairlead.placement.ledger.Taken;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.score.NodeOrder;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Places all members of an element on one route, or none. Exact for one role; several roles are
 * tried largest members first, then smallest first, over every domain that holds each of them.
 */
public final class GangPlacer {
  private static final Comparator<Part> LARGEST_FIRST =
      Comparator.comparingLong((Part p) -> -p.role.gpu().milliOn(p.deviceMemory))
          .thenComparingLong(p -> -p.role.cpuMilli())
          .thenComparingLong(p -> -p.role.memoryMiB())
          .thenComparingInt(p -> p.role.role());

  private final Ledger ledger;
  private final WorkBudget work;

  public GangPlacer(Ledger ledger, WorkBudget work) {
    this.ledger = ledger;
    this.work = work;
  }

  /** A role on its way: how many members, where they may go, under which rules. */
  private record Part(
      MemberShape role, int members, List<Room> rooms, List<LevelRule> rules, long deviceMemory) {
    Part inside(Scope scope) {
      return new Part(role, members, scope.of(rooms), rules, deviceMemory);
    }

    /** With members of other roles that have their place already. */
    Part beside(List<Taken> others) {
      if (others.isEmpty() || rules.stream().noneMatch(LevelRule::capped)) {
        return this;
      }
      List<LevelRule> now =
          rules.stream().map(r -> r.capped() ? r.beside(domains(r.level(), others)) : r).toList();
      return new Part(role, members, rooms, now, deviceMemory);
    }

    private static SortedMap<Integer, Integer> domains(int level, List<Taken> members) {
      SortedMap<Integer, Integer> domains = new TreeMap<>();
      members.forEach(m -> domains.merge(m.room().domain(level), 1, Integer::sum));
      return domains;
    }

    Scope.Wish wish() {
      return new Scope.Wish(rooms, r -> r.fits(role), members);
    }
  }

  /**
   * Takes room for so many members of each role.
   *
   * @return whether it did; otherwise nothing changed
   */
  public boolean place(Route route, GangShape gang, int[] counts) {
    if (counts.length == 1 && counts[0] == 1 && unbound(gang)) {
      return placeOne(route, gang.roles().getFirst());
    }
    List<Part> parts = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      Part part = part(route, gang, role, counts[role.role()]);
      if (part == null) {
        return false;
      }
      parts.add(part);
    }
    parts.sort(LARGEST_FIRST);
    return place(route.cluster(), gang, parts)
        || parts.size() > 1 && place(route.cluster(), gang, parts.reversed());
  }

  private static boolean unbound(GangShape gang) {
    return gang.placement().topology() == null
        && gang.placement().segment() == null
        && gang.placement().spread() == null
        && gang.roles().getFirst().topology() == null;
  }

  private boolean placeOne(Route route, MemberShape member) {
    String model = route.models().get(member.role());
    work.spend(1);
    NodeChoice.Spot spot = route.cluster().choose(member, model, NodeOrder.FULLEST_FIRST, work);
    if (spot == null) {
      return false;
    }
    ledger.take(spot, member);
    return true;
  }

  private @Nullable Part part(Route route, GangShape gang, MemberShape role, int members) {
    ClusterRoom cluster = route.cluster();
    Optional<List<LevelRule>> rules = LevelRule.of(role, gang, cluster.levels());
    if (rules.isEmpty()) {
      return null;
    }
    String model = route.models().get(role.role());
    List<Room> rooms = cluster.admitting(role, model);
    work.spend(cluster.rooms().size());
    long memory = cluster.leastDeviceMemory(model, role.gpu().minMemoryMiB());
    return new Part(role, members, rooms, rules.get(), memory);
  }

  private boolean place(ClusterRoom cluster, GangShape gang, List<Part> parts) {
    List<Scope.Wish> wishes = parts.stream().map(Part::wish).toList();
    int mark = ledger.mark();
    for (Scope scope : Scope.of(gang.placement().topology(), cluster.levels(), wishes)) {
      if (placeFrom(0, cluster, parts, scope, mark)) {
        return true;
      }
      ledger.undo(mark);
    }
    return false;
  }

  /**
   * The parts from {@code next} on inside the scope; what fails leaves its changes to the caller to
   * undo.
   *
   * @param begin mark of the ledger before the first part
   */
  private boolean placeFrom(
      int next, ClusterRoom cluster, List<Part> parts, Scope scope, int begin) {
    if (next == parts.size()) {
      return true;
    }
    Part part = parts.get(next).inside(scope).beside(ledger.since(begin));
    int mark = ledger.mark();
    for (Scope own : Scope.of(part.role.topology(), cluster.levels(), List.of(part.wish()))) {
      if (pack(part.inside(own)) && placeFrom(next + 1, cluster, parts, scope, begin)) {
        return true;
      }
      ledger.undo(mark);
    }
    return false;
  }

  /** Members without GPU go to nodes without GPUs where these have room for all. */
  private boolean pack(Part part) {
    if (!part.role.asksGpu()) {
      List<Room> plain = part.rooms.stream().filter(r -> !r.hasGpus()).toList();
      if (packInto(plain, part)) {
        return true;
      }
    }
    return packInto(part.rooms, part);
  }

  private boolean packInto(List<Room> rooms, Part part) {
    work.spend(rooms.size());
    Packing packing = new Packing(rooms, r -> r.fits(part.role), part.rules);
    if (packing.capacity() < part.members) {
      return false;
    }
    packing.into(ledger, part.role, part.members);
    return true;
  }
}

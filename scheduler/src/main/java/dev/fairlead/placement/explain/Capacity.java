package dev.fairlead.placement.explain;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Reason;
import dev.fairlead.placement.gang.GangCapacity;
import dev.fairlead.placement.gang.GangPlacer;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.FitSummary;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.routing.FlavorAssignment;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What nodes lack on one route, quota left aside. */
final class Capacity {
  private final Ledger ledger;
  private final GangPlacer placer;
  private final WorkBudget work;

  Capacity(Ledger ledger, WorkBudget work) {
    this.ledger = ledger;
    this.work = work;
    placer = new GangPlacer(ledger, work);
  }

  /**
   * Each role that finds too little room alone, or that they do not fit together; empty when the
   * fewest members fit together now.
   */
  List<Blocker> blockers(FlavorAssignment route, GangShape gang) {
    int mark = ledger.mark();
    boolean fits = placer.place(route, gang, gang.counts(0));
    ledger.undo(mark);
    if (fits) {
      return List.of();
    }
    ClusterCapacity cluster = route.cluster();
    List<Blocker> tooFew = new ArrayList<>();
    List<GangCapacity> reaches = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      String model = route.models().get(role.role());
      work.spend(cluster.rooms().size());
      GangCapacity reach = GangCapacity.now(cluster, gang, role, model);
      reaches.add(reach);
      if (reach.inDomain() < role.minCount()) {
        String who = gang.roles().size() > 1 ? "role '" + role.name() + "' " : "";
        tooFew.add(shortOf(who, role, model, reach, cluster));
      }
    }
    return tooFew.isEmpty() ? List.of(together(route, gang, reaches)) : tooFew;
  }

  private static Blocker together(
      FlavorAssignment route, GangShape gang, List<GangCapacity> reaches) {
    List<String> each = new ArrayList<>();
    SortedMap<String, Long> numbers = new TreeMap<>();
    for (int i = 0; i < reaches.size(); i++) {
      MemberShape role = gang.roles().get(i);
      long needed = Wording.count(role, role.minCount());
      long free = Wording.count(role, reaches.get(i).inDomain());
      String members = Wording.members(role, role.minCount(), route.models().get(role.role()));
      each.add("%s %s of room for %d".formatted(role.name(), members, free));
      numbers.put(role.name() + ".needed", needed);
      numbers.put(role.name() + ".largestFree", free);
    }
    String cluster = route.cluster().name();
    String text =
        "its roles fit one by one but not together: %s (%s)"
            .formatted(String.join(", ", each), route.cluster().text());
    return new Blocker(Reason.CAPACITY, Blockers.cluster(cluster), text, numbers, null);
  }

  private static Blocker shortOf(
      String who, MemberShape role, String model, GangCapacity reach, ClusterCapacity cluster) {
    Reason reason = reach.inCluster() >= role.minCount() ? Reason.TOPOLOGY : Reason.CAPACITY;
    FitSummary survey = cluster.survey(role, model);
    long needed = Wording.count(role, role.minCount());
    long free = Wording.count(role, reach.inDomain());
    String asked = who + "needs " + Wording.members(role, role.minCount(), model);
    String text;
    if (reach.level() != null && reach.domain() == null) {
      text = asked + " in one " + reach.level() + ", a level that it does not have";
    } else if (reach.level() != null) {
      text = asked + " in one " + reach.level() + ", largest free " + reach.level() + " " + free;
    } else if (reason == Reason.TOPOLOGY) {
      text = asked + " under its spread or segments, room for " + free;
    } else if (survey.admitting() == 0) {
      text = asked + ", no node takes it now";
    } else if (role.wholeGpus() > 0 && role.minCount() == 1) {
      return one(who, role, model, survey.mostWhole(), cluster);
    } else {
      text = asked + ", room for " + free;
    }
    return Blockers.counted(
        reason,
        Blockers.cluster(cluster.name()),
        text + " (" + cluster.text() + ")",
        "largestFree",
        needed,
        free);
  }

  private static Blocker one(
      String who, MemberShape role, String model, int most, ClusterCapacity cluster) {
    String asked = who + "needs " + Wording.members(role, 1, model);
    String text =
        most >= role.wholeGpus()
            ? asked + " with " + Wording.host(role) + " on one node, none has all of it free"
            : asked + " on one node, largest free node " + most;
    return Blockers.counted(
        Reason.CAPACITY,
        Blockers.cluster(cluster.name()),
        text + " (" + cluster.text() + ")",
        "largestFree",
        role.wholeGpus(),
        most);
  }
}

package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.blockers.NeighbourBlockers;
import dev.fairlead.work.placement.blockers.Wording;
import dev.fairlead.work.placement.gang.GangCapacity;
import dev.fairlead.work.placement.gang.GangPlacer;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.FitSummary;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds the node resources that one assignment lacks, ignoring quota. */
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
   * Returns a blocker for each role that does not fit even alone, or one blocker if the roles do
   * not fit together. The result is empty if the minimum number of members fits now.
   */
  List<Blocker> blockers(FlavorAssignment assignment, GangShape gang) {
    int mark = ledger.mark();
    boolean fits = placer.place(assignment, gang, gang.counts(0));
    ledger.undo(mark);
    boolean cut = placer.cut();
    if (fits) {
      return List.of();
    }
    ClusterCapacity cluster = assignment.cluster();
    List<Blocker> tooFew = new ArrayList<>();
    List<GangCapacity> gangCapacities = new ArrayList<>();
    for (MemberShape role : gang.roles()) {
      String model = assignment.models().get(role.role());
      work.spend(cluster.capacities().size());
      GangCapacity gangCapacity = GangCapacity.now(cluster, gang, role, model);
      gangCapacities.add(gangCapacity);
      if (gangCapacity.inDomain() < role.minCount()) {
        String subject = gang.roles().size() > 1 ? "role '" + role.name() + "' " : "";
        tooFew.add(shortOf(subject, role, model, gangCapacity, cluster));
      }
    }
    return tooFew.isEmpty() ? List.of(together(assignment, gang, gangCapacities, cut)) : tooFew;
  }

  /**
   * @param cut whether some layouts were not tried
   */
  private static Blocker together(
      FlavorAssignment assignment, GangShape gang, List<GangCapacity> gangCapacities, boolean cut) {
    List<String> each = new ArrayList<>();
    SortedMap<String, Long> numbers = new TreeMap<>();
    for (int i = 0; i < gangCapacities.size(); i++) {
      MemberShape role = gang.roles().get(i);
      long needed = Wording.count(role, role.minCount());
      long free = Wording.count(role, gangCapacities.get(i).inDomain());
      String members = Wording.members(role, role.minCount(), assignment.models().get(role.role()));
      each.add("%s %s of room for %d".formatted(role.name(), members, free));
      numbers.put(role.name() + ".needed", needed);
      numbers.put(role.name() + ".largestFree", free);
    }
    String cluster = assignment.cluster().name();
    String text =
        "its roles fit individually but %s: %s (%s)"
            .formatted(
                cut ? "no layout that fits all of them was found" : "not together",
                String.join(", ", each),
                assignment.cluster().text());
    return new Blocker(Reason.CAPACITY, Blockers.cluster(cluster), text, numbers, null);
  }

  private static Blocker shortOf(
      String subject,
      MemberShape role,
      String model,
      GangCapacity gangCapacity,
      ClusterCapacity cluster) {
    Reason reason = gangCapacity.inCluster() >= role.minCount() ? Reason.TOPOLOGY : Reason.CAPACITY;
    FitSummary summary = cluster.summary(role, model);
    long needed = Wording.count(role, role.minCount());
    long free = Wording.count(role, gangCapacity.inDomain());
    String asked = subject + "needs " + Wording.members(role, role.minCount(), model);
    String text;
    if (gangCapacity.level() != null && gangCapacity.domain() == null) {
      text = asked + " in one " + gangCapacity.level() + ", a level that it does not have";
    } else if (gangCapacity.level() != null) {
      text =
          asked
              + " in one "
              + gangCapacity.level()
              + ", largest free "
              + gangCapacity.level()
              + " "
              + free;
    } else if (reason == Reason.TOPOLOGY) {
      text = asked + " under its spread or segments, room for " + free;
    } else if (summary.admitting() == 0) {
      text = asked + ", no node accepts it now";
    } else if (role.wholeGpus() > 0 && role.minCount() == 1) {
      return one(subject, role, model, summary.mostWhole(), cluster);
    } else {
      text = asked + ", room for " + free;
    }
    return Blockers.counted(
        reason,
        Blockers.cluster(cluster.name()),
        text
            + quarantined(cluster, role, model)
            + NeighbourBlockers.of(cluster, role, model)
            + " ("
            + cluster.text()
            + ")",
        "largestFree",
        needed,
        free);
  }

  private static Blocker one(
      String subject, MemberShape role, String model, int most, ClusterCapacity cluster) {
    String asked = subject + "needs " + Wording.members(role, 1, model);
    String closed = NeighbourBlockers.of(cluster, role, model);
    String text;
    if (most < role.wholeGpus()) {
      text = asked + " on one node, largest free node " + most;
    } else if (closed.isEmpty()) {
      text = asked + " with " + Wording.host(role) + " on one node, none has all of it free";
    } else {
      text = asked + " with " + Wording.host(role) + " on one node";
    }
    return Blockers.counted(
        Reason.CAPACITY,
        Blockers.cluster(cluster.name()),
        text + quarantined(cluster, role, model) + closed + " (" + cluster.text() + ")",
        "largestFree",
        role.wholeGpus(),
        most);
  }

  /** Counts the GPUs that are quarantined individually, on nodes that otherwise accept members. */
  private static String quarantined(ClusterCapacity cluster, MemberShape role, String model) {
    long gpus =
        cluster.capacities().stream()
            .filter(c -> role.asksGpu() && c.open() && c.node().gpuModel().equals(model))
            .flatMap(c -> c.node().gpus().stream())
            .filter(gpu -> gpu.state() == GpuState.QUARANTINED)
            .count();
    return switch ((int) Math.min(gpus, Integer.MAX_VALUE)) {
      case 0 -> "";
      case 1 -> "; 1 GPU of its nodes is quarantined";
      default -> "; " + gpus + " GPUs of its nodes are quarantined";
    };
  }
}

package dev.fairlead.placement.explain;

import dev.fairlead.explanation.ClusterVerdict;
import dev.fairlead.placement.gang.Reach;
import dev.fairlead.placement.ledger.ClusterRoom;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.ledger.Survey;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.routing.Routes;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.Flavor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts, for the most demanding role, how each node of each allowed cluster stands to one member.
 */
final class Verdicts {
  private static final String WINDOW = "WINDOW";

  private final Fleet fleet;
  private final WorkBudget work;

  Verdicts(Fleet fleet, WorkBudget work) {
    this.fleet = fleet;
    this.work = work;
  }

  /** By cluster, then flavor. */
  List<ClusterVerdict> of(GangShape gang) {
    MemberShape role = demanding(gang);
    List<ClusterVerdict> verdicts = new ArrayList<>();
    for (ClusterRoom cluster : fleet.clusters()) {
      if (Routes.allows(gang, cluster)) {
        for (String model : models(role, cluster)) {
          verdicts.add(verdict(cluster, gang, role, model));
        }
      }
    }
    return verdicts;
  }

  static MemberShape demanding(GangShape gang) {
    return gang.roles().stream()
        .max(
            Comparator.comparingInt(MemberShape::wholeGpus)
                .thenComparing(MemberShape::asksGpu)
                .thenComparingLong(MemberShape::cpuMilli)
                .thenComparingInt(r -> -r.role()))
        .orElseThrow();
  }

  /** Accepted models that the cluster has; where it has none, the one that was asked for. */
  private static List<String> models(MemberShape role, ClusterRoom cluster) {
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
      accepted.add(role.gpu().models().isEmpty() ? "GPU" : role.gpu().models().getFirst());
    }
    return accepted;
  }

  private ClusterVerdict verdict(
      ClusterRoom cluster, GangShape gang, MemberShape role, String model) {
    if (gang.closed().contains(cluster.name())) {
      return closed(cluster, model);
    }
    Survey survey = cluster.survey(role, model);
    work.spend(cluster.rooms().size());
    return new ClusterVerdict(
        cluster.name(),
        new Flavor(model, cluster.cluster().capacity()),
        cluster.rooms().size(),
        survey.filtered(),
        survey.exhausted(),
        best(cluster, gang, role, model));
  }

  private static ClusterVerdict closed(ClusterRoom cluster, String model) {
    SortedMap<String, Integer> filtered = new TreeMap<>();
    filtered.put(WINDOW, cluster.rooms().size());
    return new ClusterVerdict(
        cluster.name(),
        new Flavor(model, cluster.cluster().capacity()),
        cluster.rooms().size(),
        filtered,
        Collections.emptySortedMap(),
        null);
  }

  private static ClusterVerdict.@Nullable BestDomain best(
      ClusterRoom cluster, GangShape gang, MemberShape role, String model) {
    if (!Reach.bound(gang, role)) {
      return null;
    }
    Reach reach = Reach.now(cluster, gang, role, model);
    String level = reach.level();
    String domain = reach.domain();
    return level == null || domain == null
        ? null
        : new ClusterVerdict.BestDomain(level, domain, reach.inDomain(), role.minCount());
  }
}

package dev.fairlead.placement.admission;

import dev.fairlead.placement.routing.Route;
import dev.fairlead.placement.routing.Subtrees;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.quota.FlavorFallback;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.Flavor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The steps in which a job tries its routes, by the flavor fallback of its queue. On the routes of
 * one step the job starts, or else has others evicted, before the next step is tried.
 */
public final class FlavorSteps {
  private FlavorSteps() {}

  /** One step with all routes as they are, unless the queue has a fallback of its own. */
  public static List<List<Route>> of(
      QuotaTree tree, QuotaNodeId queue, GangShape gang, List<Route> routes) {
    FlavorFallback fallback =
        tree.node(queue)
            .map(QuotaNode::queue)
            .map(QueueSettings::flavorFallback)
            .orElse(FlavorFallback.DEFAULT);
    if (fallback.equals(FlavorFallback.DEFAULT) || routes.size() < 2) {
      return List.of(routes);
    }
    boolean ownFirst = fallback.whenCanBorrow() == FlavorFallback.WhenCanBorrow.TRY_NEXT_FLAVOR;
    List<Route> own = new ArrayList<>();
    List<Route> borrowing = new ArrayList<>();
    for (Route route : routes) {
      (ownFirst && borrows(tree, queue, gang, route) ? borrowing : own).add(route);
    }
    if (fallback.whenCanPreempt() == FlavorFallback.WhenCanPreempt.PREEMPT) {
      List<List<Route>> steps = byFlavors(own);
      steps.addAll(byFlavors(borrowing));
      return steps;
    }
    if (fallback.preference() == FlavorFallback.Preference.PREEMPTION) {
      return List.of(own, borrowing);
    }
    own.addAll(borrowing);
    return List.of(own);
  }

  private static boolean borrows(QuotaTree tree, QuotaNodeId queue, GangShape gang, Route route) {
    Subtrees subtrees = new Subtrees(tree);
    return Charges.expected(gang, route, gang.counts(0)).cells().entrySet().stream()
        .anyMatch(cell -> subtrees.borrows(queue, cell.getKey(), cell.getValue()));
  }

  /** Routes of equal flavors together, on whatever cluster. */
  private static List<List<Route>> byFlavors(List<Route> routes) {
    Map<List<Flavor>, List<Route>> steps = new LinkedHashMap<>();
    for (Route route : routes) {
      List<Flavor> flavors = new ArrayList<>();
      for (int role = 0; role < route.models().size(); role++) {
        flavors.add(route.flavor(role));
      }
      steps.computeIfAbsent(flavors, f -> new ArrayList<>()).add(route);
    }
    return new ArrayList<>(steps.values());
  }
}

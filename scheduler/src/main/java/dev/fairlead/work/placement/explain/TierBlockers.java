package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.blockers.NeverFits;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.TierRule;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.Tiers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains how the routing policy of a queue and the owner's price caps hold a job back: tiers that
 * are not open yet, and prices above the caps of the tiers and of the job.
 */
final class TierBlockers {
  private static final int MOST_PRICES = 3;
  private static final String JOB_PAYS = "; the job pays up to ";
  private static final String MAX_COST = "; maxCost is ";

  private TierBlockers() {}

  /** Returns blockers for capacity that could hold the gang. */
  static List<Blocker> of(GangShape gang, Fleet fleet) {
    if (takesAny(gang)) {
      return List.of();
    }
    SortedSet<Integer> closed = new TreeSet<>();
    for (FlavorAssignment assignment : FlavorAssignments.ever(gang, fleet)) {
      if (!gang.tiers().opens(assignment.tier()) && couldStart(gang, assignment.cluster())) {
        closed.add(assignment.tier());
      }
    }
    List<Blocker> blockers = new ArrayList<>();
    closed.forEach(tier -> blockers.add(closed(gang.tiers(), tier)));
    List<FlavorAssignment> startable =
        FlavorAssignments.tooDear(gang, fleet).stream()
            .filter(r -> couldStart(gang, r.cluster()))
            .toList();
    List<String> dear = prices(gang, startable, fleet);
    if (!dear.isEmpty()) {
      blockers.add(
          Blockers.of(Reason.ROUTING, Blockers.FLEET, String.join("; ", dear), action(dear)));
    }
    return blockers;
  }

  private static boolean takesAny(GangShape gang) {
    return gang.tiers().policy().none()
        && gang.placement().maxPricePerGpuHour() == null
        && gang.placement().maxCost() == null;
  }

  /**
   * Returns a blocker if all capacity that the tiers select and that could hold the gang, in
   * service or not, is too expensive now. Waiting does not change that. The result is empty if an
   * allowed cluster has not reported its nodes.
   */
  static Optional<Blocker> never(GangShape gang, Fleet fleet) {
    if (takesAny(gang)) {
      return Optional.empty();
    }
    /* Nodes are examined only if a price is too high, and nodes of expensive parts last. */
    List<FlavorAssignment> tooDear = FlavorAssignments.tooDear(gang, fleet);
    if (tooDear.isEmpty()
        || NeverFits.waitsForNodes(gang, fleet)
        || FlavorAssignments.ever(gang, fleet).stream().anyMatch(r -> NeverFits.holds(gang, r))) {
      return Optional.empty();
    }
    List<FlavorAssignment> dear = tooDear.stream().filter(r -> NeverFits.holds(gang, r)).toList();
    if (dear.isEmpty()) {
      return Optional.empty();
    }
    List<String> prices = prices(gang, dear, fleet);
    return Optional.of(NeverFits.never(String.join("; ", prices), action(prices)));
  }

  private static String action(List<String> dear) {
    if (dear.stream().anyMatch(text -> text.contains("has no price"))) {
      return "ask an operator to add the price to the price book";
    }
    if (dear.stream().anyMatch(text -> text.contains(MAX_COST))) {
      return "submit it with a higher placement.maxCost or a shorter maxRuntime, or wait until the"
          + " price falls";
    }
    return dear.stream().anyMatch(text -> text.contains(JOB_PAYS))
        ? "submit it with a higher placement.maxPricePerGpuHour, or wait until the price falls"
        : "ask an administrator to raise the cap of the tier, or wait until the price falls";
  }

  /** Explains the price of a cluster part that no tier accepts or that exceeds the job's cap. */
  static Blocker dear(GangShape gang, FlavorAssignment assignment, Fleet fleet) {
    List<String> prices = prices(gang, List.of(assignment), fleet);
    return Blockers.of(Reason.ROUTING, Blockers.FLEET, String.join("; ", prices), action(prices));
  }

  /** Explains that the job has not waited long enough for a tier. */
  static Blocker closed(Tiers tiers, int tier) {
    RoutingPolicy.Tier rule = tiers.policy().tiers().get(tier);
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("tier", tier + 1L);
    numbers.put(OpeningTiers.AFTER, rule.after().toSeconds());
    String text =
        "tier %d (%s) opens after a wait of %s"
            .formatted(tier + 1, describe(rule), DurationText.of(rule.after()));
    return new Blocker(Reason.ROUTING, Blockers.FLEET, text, numbers, null);
  }

  private static String describe(RoutingPolicy.Tier rule) {
    List<String> parts = new ArrayList<>();
    parts.add(
        rule.capacityTypes().isEmpty()
            ? "any capacity"
            : rule.capacityTypes().stream()
                .map(CapacityType::name)
                .collect(Collectors.joining(" or ")));
    if (!rule.pools().isEmpty()) {
      parts.add("pool " + String.join(" or ", rule.pools()));
    }
    if (!rule.clusters().isEmpty()) {
      parts.add("cluster " + String.join(" or ", rule.clusters()));
    }
    Money cap = rule.maxPricePerGpuHour();
    if (cap != null) {
      parts.add("up to " + cap.text() + " per GPU-hour");
    }
    return String.join(", ", parts);
  }

  private static List<String> prices(GangShape gang, List<FlavorAssignment> tooDear, Fleet fleet) {
    NavigableSet<String> texts = new TreeSet<>();
    List<CostText> costs = new ArrayList<>();
    for (FlavorAssignment assignment : tooDear) {
      aboveMaxCost(gang, assignment, fleet).ifPresent(costs::add);
      assignment.models().stream()
          .filter(model -> !model.equals(Flavor.CPU))
          .forEach(
              model -> tooDear(gang, assignment.cluster(), model, fleet).ifPresent(texts::add));
    }
    return Stream.concat(
            texts.stream(), costs.stream().sorted(CostText.CHEAPEST).map(CostText::text).distinct())
        .limit(MOST_PRICES)
        .toList();
  }

  /**
   * The cost of a gang on one assignment, by its maximum runtime.
   *
   * @param micros in any currency, the maximum value if the cost is unknown
   */
  private record CostText(long micros, String text) {
    static final Comparator<CostText> CHEAPEST =
        Comparator.comparingLong(CostText::micros).thenComparing(CostText::text);
  }

  private static Optional<CostText> aboveMaxCost(
      GangShape gang, FlavorAssignment assignment, Fleet fleet) {
    Money cap = gang.placement().maxCost();
    Duration runtime = gang.runtime();
    ClusterCapacity cluster = assignment.cluster();
    if (cap == null
        || runtime == null
        || TierRule.affordsAll(gang, cluster, assignment.models(), fleet)) {
      return Optional.empty();
    }
    Money cost = TierRule.costByRuntime(gang, cluster, assignment.models(), fleet);
    String what =
        assignment.models().stream()
                .filter(model -> !model.equals(Flavor.CPU))
                .distinct()
                .map(model -> new Flavor(model, cluster.cluster().capacity()).text())
                .collect(Collectors.joining(" and "))
            + " on "
            + cluster.text();
    String text =
        cost == null
            ? what + " has no price, or prices in several currencies"
            : what + " costs " + cost.text() + " by maxRuntime " + DurationText.of(runtime);
    return Optional.of(
        new CostText(cost == null ? Long.MAX_VALUE : cost.micros(), text + MAX_COST + cap.text()));
  }

  /**
   * Compares the price with the cap of the job, else with the last tier that selects the part. The
   * result is empty if the price is within the cap.
   */
  private static Optional<String> tooDear(
      GangShape gang, ClusterCapacity cluster, String model, Fleet fleet) {
    List<RoutingPolicy.Tier> rules = gang.tiers().policy().tiers();
    Money price = TierRule.price(cluster, model, fleet);
    String what = new Flavor(model, cluster.cluster().capacity()).text() + " on " + cluster.text();
    String costs =
        what + (price == null ? " has no price" : " costs " + price.text() + " per GPU-hour");
    Money own = gang.placement().maxPricePerGpuHour();
    if (own != null && !gang.placement().affords(cluster.cluster().capacity(), price)) {
      return Optional.of(costs + JOB_PAYS + own.text());
    }
    String text = null;
    for (int tier = 0; tier < rules.size(); tier++) {
      Money cap = rules.get(tier).maxPricePerGpuHour();
      if (cap != null && TierRule.selects(rules.get(tier), cluster)) {
        text =
            rules.get(tier).affords(price)
                ? null
                : costs + "; tier " + (tier + 1) + " takes up to " + cap.text();
      }
    }
    return Optional.ofNullable(text);
  }

  private static boolean couldStart(GangShape gang, ClusterCapacity cluster) {
    return cluster.cluster().state() == ClusterState.ACTIVE && Explainer.couldHold(gang, cluster);
  }
}

package dev.fairlead.work.placement.explain;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.placement.blockers.Wording;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.TierRule;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.TopologySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Searches single changes of the placement of a gang. */
final class PlacementChanges {
  private static final int MOST_PRICES = 3;

  private final GangShape gang;
  private final PlacementSpec old;
  private final NearMissTrial trial;

  private PlacementChanges(GangShape gang, NearMissTrial trial) {
    this.gang = gang;
    old = gang.placement();
    this.trial = trial;
  }

  static void search(GangShape gang, NearMissTrial trial) {
    PlacementChanges search = new PlacementChanges(gang, trial);
    search.looserTopology();
    search.withoutGroups();
    if (!gang.drawnToNodes()) {
      search.withoutLabels(); // no other cluster has its volumes
    }
    if (gang.volumes().isEmpty()) {
      search.otherCluster(); // data do not move with the job
    }
    search.withoutNeighbours();
    search.withoutPools();
    search.otherCapacity();
    search.withoutWaits();
    search.higherPrice();
    search.higherCost();
  }

  private void looserTopology() {
    String level = required(old.topology());
    if (level != null) {
      offer("topology", level, "prefer " + level, old.with().topology(preferred(level)).build());
    }
    for (MemberShape role : gang.roles()) {
      String own = required(role.topology());
      if (own != null) {
        String field = "roles[" + role.role() + "].topology";
        trial.offer(field, own, "prefer " + own, gang.with(role.near(preferred(own))));
      }
    }
  }

  private void withoutGroups() {
    if (old.segment() != null) {
      offer(
          "segment",
          old.segment().size() + "/" + old.segment().level(),
          "",
          old.with().segment(null).build());
    }
    if (old.spread() != null) {
      String from = old.spread().maxPerDomain() + "/" + old.spread().level();
      offer("spread", from, "", old.with().spread(null).build());
    }
  }

  private void withoutLabels() {
    if (!old.nodeLabels().isEmpty()) {
      offer(
          "placement.nodeLabels",
          Wording.labels(old.nodeLabels()),
          "",
          old.with().nodeLabels(Collections.emptySortedMap()).build());
    }
  }

  private void withoutNeighbours() {
    if (!old.near().isEmpty()) {
      offer("placement.near", terms(old.near()), "", old.with().near(List.of()).build());
    }
    if (!old.away().isEmpty()) {
      offer("placement.away", terms(old.away()), "", old.with().away(List.of()).build());
    }
  }

  private static String terms(List<PlacementSpec.JobTerm> terms) {
    return terms.stream()
        .map(term -> Wording.labels(term.jobs()) + " within " + term.within())
        .collect(Collectors.joining("; "));
  }

  private void otherCluster() {
    for (String name :
        trial.fleet().clusters().stream().map(ClusterCapacity::name).distinct().toList()) {
      if (!FlavorAssignments.allows(old, name)) {
        offer(
            "placement.clusters",
            String.join(",", old.clusters()),
            name,
            old.with().clusters(List.of(name)).build());
      }
    }
  }

  private void withoutPools() {
    if (!old.pools().isEmpty()) {
      String from = String.join(",", old.pools());
      offer("placement.pools", from, "", old.with().pools(List.of()).build());
    }
  }

  /**
   * Only for a job without waits, because with waits an additional type does not open immediately.
   */
  private void otherCapacity() {
    for (CapacityType type : CapacityType.values()) {
      if (!FlavorAssignments.allows(old, type) && old.waits().isEmpty()) {
        List<CapacityType> more = new ArrayList<>(old.capacity());
        more.add(type);
        PlacementSpec changed = old.with().capacity(more).build();
        trial.offer(
            "placement.capacity",
            names(old.capacity()),
            names(more),
            gang.with(changed, more.size()));
      }
    }
  }

  private void withoutWaits() {
    if (gang.openTiers() < old.capacity().size()) {
      PlacementSpec changed = old.with().waits(Collections.emptySortedMap()).build();
      String from =
          old.waits().keySet().stream().map(CapacityType::name).collect(Collectors.joining(","));
      trial.offer("placement.wait", from, "", gang.with(changed, old.capacity().size()));
    }
  }

  /** Offers the lowest price above the job's cap with which it starts. */
  private void higherPrice() {
    Money cap = old.maxPricePerGpuHour();
    if (cap == null) {
      return;
    }
    NavigableSet<Long> above = new TreeSet<>();
    for (FlavorAssignment assignment : FlavorAssignments.tooDear(gang, trial.fleet())) {
      assignment.models().stream()
          .map(model -> TierRule.price(assignment.cluster(), model, trial.fleet()))
          .filter(price -> price != null && price.currency().equals(cap.currency()))
          .filter(price -> price.micros() > cap.micros())
          .forEach(price -> above.add(price.micros()));
    }
    boolean found = false;
    for (long micros : above.stream().limit(MOST_PRICES).toList()) {
      Money price = new Money(micros, cap.currency());
      GangShape changed = gang.with(old.with().maxPricePerGpuHour(price).build(), gang.openTiers());
      found =
          found || trial.offer("placement.maxPricePerGpuHour", cap.text(), price.text(), changed);
    }
  }

  /**
   * Offers the lowest cost above the job's cap with which it starts, and the runtime that the cap
   * pays for.
   */
  private void higherCost() {
    Money cap = old.maxCost();
    Duration runtime = gang.runtime();
    if (cap == null || runtime == null) {
      return;
    }
    NavigableSet<Long> above = new TreeSet<>();
    for (FlavorAssignment assignment : FlavorAssignments.tooDear(gang, trial.fleet())) {
      Money cost =
          TierRule.costByRuntime(gang, assignment.cluster(), assignment.models(), trial.fleet());
      if (cost != null && cost.currency().equals(cap.currency()) && cost.micros() > cap.micros()) {
        above.add(cost.micros());
      }
    }
    boolean found = false;
    for (long micros : above.stream().limit(MOST_PRICES).toList()) {
      Money cost = new Money(micros, cap.currency());
      GangShape changed = gang.with(old.with().maxCost(cost).build(), gang.openTiers());
      found = found || trial.offer("placement.maxCost", cap.text(), cost.text(), changed);
    }
    if (!above.isEmpty()) {
      shorter(runtime, (double) cap.micros() / above.first());
    }
  }

  /** Uses whole minutes, so that the value is easy to type. */
  private void shorter(Duration runtime, double part) {
    Duration less = Duration.ofMinutes((long) (runtime.toMinutes() * part));
    if (!less.isZero()) {
      trial.offer("maxRuntime", DurationText.of(runtime), DurationText.of(less), gang.ending(less));
    }
  }

  private void offer(String field, String from, String to, PlacementSpec changed) {
    trial.offer(field, from, to, gang.with(changed, gang.openTiers()));
  }

  private static String names(List<CapacityType> types) {
    return types.stream().map(CapacityType::name).collect(Collectors.joining(","));
  }

  private static TopologySpec preferred(String level) {
    return new TopologySpec(level, TopologySpec.Mode.PREFERRED);
  }

  private static @Nullable String required(@Nullable TopologySpec topology) {
    return topology != null && topology.mode() == TopologySpec.Mode.REQUIRED
        ? topology.level()
        : null;
  }
}

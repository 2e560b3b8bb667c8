package dev.fairlead.work.placement.explain;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.job.estimate.ForecastCandidateBuilder;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.admission.Shortfall;
import dev.fairlead.work.placement.backoff.Refusals;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.blockers.QuotaBlockers;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Tiers;
import dev.fairlead.work.placement.topology.Levels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Evaluates each assignment for one shape: its free capacity, its price and its shortfalls. */
public final class Prospects {
  private final Admission admission;
  private final Capacity capacity;
  private final Fleet fleet;
  private final SortedMap<String, Refusals.Refused> refused;
  private final Instant asOf;

  /**
   * @param job a job of the world
   */
  public Prospects(Admission admission, Fleet fleet, WorkBudget work, JobId job, Instant asOf) {
    this.fleet = fleet;
    this.admission = admission;
    this.asOf = asOf;
    refused = fleet.refusals().of(job);
    capacity = new Capacity(new Ledger(), work);
  }

  /** Returns the current offer of one assignment. The caller decides {@code chosen}. */
  public Forecast.Candidate candidate(JobShape shape, FlavorAssignment assignment, boolean chosen) {
    GangShape gang = shape.gang();
    MemberShape role = Verdicts.demanding(gang);
    Flavor flavor = assignment.flavor(role.role());
    ClusterCapacity cluster = assignment.cluster();
    List<NodeCapacity> open = cluster.admitting(role, flavor.model());
    return ForecastCandidateBuilder.builder()
        .cluster(cluster.name())
        .pool(Verdicts.poolName(cluster))
        .flavor(flavor)
        .chosen(chosen)
        .free(role.asksGpu() ? open.stream().mapToLong(Prospects::freeMilli).sum() : 0)
        .total(role.asksGpu() ? 1000L * gpus(cluster.ofModel(role, flavor.model())) : 0)
        .largestGang(role.asksGpu() ? largestGangs(cluster.levels(), open) : List.of())
        .pricePerGpuHour(cluster.cluster().pricePerGpuHour().get(flavor.model()))
        .demand(demand(gang, assignment))
        .tier(tier(gang, assignment))
        .tooDear(assignment.tier() == Tiers.NO_TIER)
        .blockers(blockers(shape, assignment))
        .build();
  }

  private static @Nullable Integer tier(GangShape gang, FlavorAssignment assignment) {
    return gang.tiers().policy().none() || assignment.tier() == Tiers.NO_TIER
        ? null
        : assignment.tier() + 1;
  }

  private static Quote.Demand demand(GangShape gang, FlavorAssignment assignment) {
    ClusterCapacity cluster = assignment.cluster();
    return new Quote.Demand(
        cluster.cluster().id(),
        Verdicts.poolName(cluster),
        cluster.cluster().capacity(),
        QuotaCell.gpuMilli(
            Charges.expected(gang, assignment, gang.counts(gang.elasticSteps())).cells()));
  }

  private List<Blocker> blockers(JobShape shape, FlavorAssignment assignment) {
    List<Blocker> blockers = new ArrayList<>();
    Tiers tiers = shape.gang().tiers();
    if (assignment.tier() == Tiers.NO_TIER) {
      blockers.add(TierBlockers.dear(shape.gang(), assignment, fleet));
    } else if (!tiers.opens(assignment.tier())) {
      blockers.add(TierBlockers.closed(tiers, assignment.tier()));
    }
    blockers.addAll(Blockers.closed(shape.gang(), assignment.cluster(), refused, asOf));
    shortfalls(shape, assignment).forEach(s -> blockers.add(QuotaBlockers.of(s)));
    blockers.addAll(capacity.blockers(assignment, shape.gang()));
    return Blockers.ranked(blockers);
  }

  private List<Shortfall> shortfalls(JobShape shape, FlavorAssignment assignment) {
    GangShape gang = shape.gang();
    return admission.shortfalls(shape.queue(), Charges.expected(gang, assignment, gang.counts(0)));
  }

  private static long freeMilli(NodeCapacity capacity) {
    long free = 0;
    for (int slot = 0; slot < capacity.slots().size(); slot++) {
      free += capacity.slots().freeMilli(slot);
    }
    return free;
  }

  private static long gpus(List<NodeCapacity> capacities) {
    return capacities.stream().mapToLong(r -> r.slots().size()).sum();
  }

  private static List<Forecast.LargestGang> largestGangs(Levels levels, List<NodeCapacity> open) {
    List<Forecast.LargestGang> gangs = new ArrayList<>();
    for (int level = 0; level < levels.names().size(); level++) {
      long[] free = new long[levels.count(level)];
      for (NodeCapacity capacity : open) {
        int domain = capacity.domain(level);
        if (domain != Levels.NONE) {
          free[domain] += capacity.slots().freeWhole();
        }
      }
      int best = -1;
      for (int domain = 0; domain < free.length; domain++) {
        best = best < 0 || free[domain] > free[best] ? domain : best;
      }
      if (best >= 0) {
        gangs.add(
            new Forecast.LargestGang(
                levels.names().get(level), free[best], levels.domain(level, best)));
      }
    }
    return gangs;
  }
}

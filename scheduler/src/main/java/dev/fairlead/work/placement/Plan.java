package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.placement.decision.Decision;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The decisions of one cycle, in the order in which they are applied.
 *
 * @param explanations by class key, one for each key that a {@link Decision.Hold} names
 * @param notReached pending jobs that the work budget did not reach
 * @param postponed reservations that were not tried because their share of the work was spent. They
 *     remain.
 * @param contradictions rows that the plan ignored
 * @param demand requests of jobs that continue to wait, by queue and cell, in base units
 * @param foreseen expected starts, by learned run times, of jobs that continue to wait, if
 *     requested
 */
@RecordBuilder
public record Plan(
    Instant asOf,
    List<Decision> decisions,
    SortedMap<String, Explanation> explanations,
    List<JobId> notReached,
    List<Reservation.Key> postponed,
    List<Contradiction> contradictions,
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> demand,
    SortedMap<JobId, Instant> foreseen)
    implements PlanBuilder.With {

  /** Creates a plan without contradictions. */
  public static Plan of(
      Instant asOf,
      List<Decision> decisions,
      SortedMap<String, Explanation> explanations,
      List<JobId> notReached) {
    return PlanBuilder.builder()
        .asOf(asOf)
        .decisions(decisions)
        .explanations(explanations)
        .notReached(notReached)
        .postponed(List.of())
        .contradictions(List.of())
        .demand(Collections.emptySortedMap())
        .foreseen(Collections.emptySortedMap())
        .build();
  }

  public Plan {
    decisions = List.copyOf(decisions);
    explanations = Collections.unmodifiableSortedMap(new TreeMap<>(explanations));
    notReached = List.copyOf(notReached);
    postponed = List.copyOf(postponed);
    contradictions = List.copyOf(contradictions);
    demand = Collections.unmodifiableSortedMap(new TreeMap<>(demand));
    foreseen = Collections.unmodifiableSortedMap(new TreeMap<>(foreseen));
  }

  /** Returns this plan with the demand of waiting jobs. */
  Plan asking(SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> amounts) {
    return withDemand(amounts);
  }
}

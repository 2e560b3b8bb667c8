package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decision records of a batch of placements: one for each job, cluster and tier, regardless of the
 * number of array elements.
 */
final class PlacedRecords {
  private final JobStore jobs;
  private final SortedMap<Where, List<Start>> starts = new TreeMap<>();

  PlacedRecords(JobStore jobs) {
    this.jobs = jobs;
  }

  private record Where(JobId job, ClusterId cluster, @Nullable UsedTier tier)
      implements Comparable<Where> {
    private static final Comparator<UsedTier> TIERS =
        Comparator.comparingInt(UsedTier::number)
            .thenComparing(UsedTier::cause)
            .thenComparing(UsedTier::after);
    private static final Comparator<Where> ORDER =
        Comparator.comparing(Where::job)
            .thenComparing(Where::cluster)
            .thenComparing(Where::tier, Comparator.nullsFirst(TIERS));

    @Override
    public int compareTo(Where other) {
      return ORDER.compare(this, other);
    }
  }

  private record Start(Decision.Place place, int attempt, List<Reservation> ended) {}

  /**
   * @param ended reservations that end with the start: its own, and those that it takes over
   */
  void add(Decision.Place place, Transition admitted, List<Reservation> ended) {
    Attempt attempt = Objects.requireNonNull(admitted.attempt());
    starts
        .computeIfAbsent(
            new Where(place.job(), place.cluster(), place.tier()), w -> new ArrayList<>())
        .add(new Start(place, attempt.number(), ended));
  }

  /** Records by job. */
  List<DecisionRecord> at(Instant now) {
    return starts.entrySet().stream()
        .map(each -> new DecisionRecord(each.getKey().job(), now, placed(each.getValue())))
        .toList();
  }

  private DecisionRecord.Placed placed(List<Start> together) {
    Start first =
        together.stream().min(Comparator.comparingInt(s -> s.place().element())).orElseThrow();
    List<Member> members = together.stream().flatMap(s -> s.place().members().stream()).toList();
    List<AttemptId> victims =
        together.stream()
            .flatMap(s -> s.ended().stream().filter(r -> r.job().equals(s.place().job())))
            .filter(r -> r.kind() == Reservation.Kind.PREEMPTION)
            .flatMap(r -> r.victims().stream())
            .toList();
    return new DecisionRecord.Placed(
        first.place().element(),
        together.size(),
        first.attempt(),
        DecisionRecord.Place.of(first.place().cluster(), members),
        together.getLast().place().quota(),
        rights(victims),
        first.place().tier());
  }

  /** Eviction rights of the victims. Read only for a job with victims. */
  private SortedMap<EvictionRight, Integer> rights(List<AttemptId> victims) {
    SortedMap<EvictionRight, Integer> rights = new TreeMap<>();
    if (!victims.isEmpty()) {
      for (Attempt victim : jobs.attempts(victims)) {
        Failure why = victim.failure();
        EvictionRight right = why == null ? null : why.right();
        if (right != null) {
          rights.merge(right, 1, Integer::sum);
        }
      }
    }
    return rights;
  }
}

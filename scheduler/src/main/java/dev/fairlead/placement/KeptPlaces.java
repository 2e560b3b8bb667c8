package dev.fairlead.placement;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Job;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.Reservation;
import dev.fairlead.placement.explain.Blockers;
import dev.fairlead.placement.gang.Starter;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ordering.EqualJobs;
import dev.fairlead.placement.ordering.Lines;
import dev.fairlead.placement.ordering.Waiting;
import dev.fairlead.placement.preemption.Eviction;
import dev.fairlead.placement.preemption.Victim;
import dev.fairlead.placement.reservation.Holder;
import dev.fairlead.placement.reservation.Holds;
import dev.fairlead.placement.routing.Route;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Jobs for which a place is kept: served before all others, and given one by evictions. */
final class KeptPlaces {
  private final Holds holds;
  private final Lines lines;
  private final Starter starter;
  private final Ledger ledger;
  private final Outcome outcome;
  private final Instant asOf;

  KeptPlaces(
      Holds holds, Lines lines, Starter starter, Ledger ledger, Outcome outcome, Instant asOf) {
    this.holds = holds;
    this.lines = lines;
    this.starter = starter;
    this.ledger = ledger;
    this.outcome = outcome;
    this.asOf = asOf;
  }

  /**
   * Who has a place either starts, waits for it, or gives it up and waits as all others do. Places
   * by runtime are found anew in every cycle, but until then they stand as they were.
   */
  void serve(List<Reservation> reservations) {
    List<Reservation> valid = new ArrayList<>();
    List<Reservation> byKey = new ArrayList<>(reservations);
    byKey.sort(Comparator.comparing(Reservation::key));
    for (Reservation reservation : byKey) {
      Waiting waiting = lines.job(reservation.job());
      if (waiting != null
          && waiting.offers(reservation.element())
          && waiting.equalJobs().hopeless().isEmpty()
          && asOf.isBefore(reservation.expiresAt())) {
        valid.add(reservation);
      } else if (reservation.kind() != Reservation.Kind.BACKFILL) {
        outcome.release(reservation);
      }
    }
    valid.sort(
        Comparator.comparing((Reservation r) -> r.kind() != Reservation.Kind.PREEMPTION)
            .thenComparingInt(r -> -waiting(r).job().priority())
            .thenComparing(Reservation::createdAt)
            .thenComparing(Reservation::key));
    valid.forEach(r -> holds.add(r, waiting(r).job().queue()));
    for (Reservation reservation : valid) {
      if (reservation.kind() != Reservation.Kind.BACKFILL) {
        serve(reservation, waiting(reservation));
      }
    }
    valid.stream()
        .filter(r -> r.kind() == Reservation.Kind.BACKFILL)
        .forEach(r -> holds.remove(r.key()));
  }

  private Waiting waiting(Reservation reservation) {
    Waiting waiting = lines.job(reservation.job());
    if (waiting == null) {
      throw new IllegalStateException("only who waits has a place kept");
    }
    return waiting;
  }

  private void serve(Reservation reservation, Waiting waiting) {
    EqualJobs equalJobs = waiting.equalJobs();
    holds.lift(reservation.key());
    int mark = ledger.mark();
    Route route =
        starter.start(equalJobs.shape().queue(), equalJobs.shape().gang(), equalJobs.routes());
    if (route != null) {
      holds.remove(reservation.key());
      outcome.place(waiting.job(), reservation.element(), route, ledger.since(mark));
      waiting.placed(reservation.element());
    } else if (holds.cleared(reservation)) {
      holds.remove(reservation.key());
      outcome.release(reservation);
      return;
    } else {
      holds.restore(reservation.key());
      waiting.waits(reservation.element(), awaited(reservation));
    }
    settle(waiting);
  }

  /** The place that the evictions make is the job's from now on. */
  void preempt(Waiting waiting, int element, Eviction eviction) {
    Job job = waiting.job();
    Duration grace = Duration.ZERO;
    List<Decision.Preempt.Eviction> victims = new ArrayList<>();
    for (Eviction.Chosen chosen : eviction.victims()) {
      Holder holder = chosen.holder();
      Duration its = holder.job().spec().preemption().gracePeriod();
      grace = its.compareTo(grace) > 0 ? its : grace;
      victims.add(
          new Decision.Preempt.Eviction(
              holder.attempt().id(),
              holder.job().id(),
              why(chosen.reason()),
              chosen.whole() ? List.of() : chosen.going().stream().map(MemberKey::of).toList()));
      if (!chosen.whole()) {
        holder.choose(chosen.going());
      }
    }
    Reservation reservation =
        new Reservation(
            job.id(),
            element,
            Reservation.Kind.PREEMPTION,
            eviction.route().cluster().cluster().id(),
            Outcome.members(eviction.route(), eviction.members()),
            victims.stream().map(Decision.Preempt.Eviction::attempt).toList(),
            asOf,
            null,
            asOf.plus(grace).plus(Holder.PATIENCE));
    holds.add(reservation, job.queue());
    outcome.preempt(new Decision.Preempt(job.id(), job.version(), victims, reservation));
    waiting.waits(element, awaited(reservation));
    settle(waiting);
  }

  private void settle(Waiting waiting) {
    Blocker rest = waiting.rest();
    if (waiting.done() && rest != null) {
      outcome.hold(waiting.job(), waiting.equalJobs(), List.of(rest));
    }
  }

  private Blocker awaited(Reservation reservation) {
    List<Holder> left = new ArrayList<>();
    long gpuMilli = 0;
    for (AttemptId victim : reservation.victims()) {
      Holder holder = holds.holders().of(victim);
      List<Member> going = holder == null ? List.of() : Holds.awaited(reservation, holder);
      if (holder != null && !going.isEmpty()) {
        left.add(holder);
        gpuMilli += going.stream().mapToLong(m -> m.request().gpuMilli()).sum();
      }
    }
    long shrinking = left.stream().filter(Holder::shrinks).count();
    String cluster =
        holds.fleet().clusters().stream()
            .filter(c -> c.cluster().id().equals(reservation.cluster()))
            .map(c -> c.name())
            .findFirst()
            .orElse("");
    return reservation.kind() == Reservation.Kind.PREEMPTION
        ? Blockers.waitingForVictims(cluster, left.size(), shrinking, gpuMilli)
        : Blockers.drained(cluster, left.size(), gpuMilli);
  }

  private static String why(Victim.Reason reason) {
    return switch (reason) {
      case SAME_QUEUE -> "preempted by a job that goes before it in its queue";
      case RECLAIM -> "preempted: its queue had borrowed what another queue takes back";
      case FAIR_SHARE -> "preempted: its queue had more than its share";
      case RECLAIM_WHILE_BORROWING -> "preempted by a job of higher priority in another queue";
    };
  }
}

package dev.fairlead.work.placement.laws;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Attempts that were ordered to end. */
final class Leaving {
  private Leaving() {}

  static List<World.LiveAttempt> of(World world) {
    return world.live().stream().filter(l -> leaves(l.attempt())).toList();
  }

  private static boolean leaves(Attempt attempt) {
    return stops(attempt) || attempt.members().stream().anyMatch(Member::leaves);
  }

  private static boolean stops(Attempt attempt) {
    return attempt.state() == AttemptState.STOPPING;
  }

  /** The world after the evicted members have left. */
  static World gone(World world, Predicate<World.LiveAttempt> meant) {
    World left = world;
    for (World.LiveAttempt each : of(world)) {
      if (meant.test(each)) {
        left = stops(each.attempt()) ? Ended.of(left, each) : Ended.partly(left, each);
      }
    }
    return left;
  }

  /** The same world with one victim spared. */
  static World spared(World told, World before, AttemptId attempt) {
    List<World.LiveAttempt> live = new ArrayList<>(told.live());
    before.live().stream()
        .filter(was -> was.attempt().id().equals(attempt))
        .forEach(was -> live.replaceAll(l -> l.attempt().id().equals(attempt) ? was : l));
    return told.toBuilder()
        .live(live)
        .reservations(told.reservations().stream().map(r -> without(r, attempt)).toList())
        .build();
  }

  /** The world in which one member of a continuing attempt was not evicted. */
  static World spared(World told, AttemptId attempt, MemberKey member) {
    List<World.LiveAttempt> live = new ArrayList<>(told.live());
    live.replaceAll(l -> l.attempt().id().equals(attempt) ? spared(l, member) : l);
    return Changed.live(told, live);
  }

  private static World.LiveAttempt spared(World.LiveAttempt live, MemberKey member) {
    List<Member> members =
        live.attempt().members().stream()
            .map(m -> MemberKey.of(m).equals(member) ? m.staying() : m)
            .toList();
    return new World.LiveAttempt(live.attempt().with(members), live.job());
  }

  /** Reservations that wait for ends wait for this attempt as before. */
  private static Reservation without(Reservation r, AttemptId attempt) {
    if (r.kind() != Reservation.Kind.PREEMPTION) {
      return r;
    }
    return new Reservation(
        r.job(),
        r.element(),
        r.kind(),
        r.cluster(),
        r.members(),
        r.victims().stream().filter(victim -> !victim.equals(attempt)).toList(),
        r.createdAt(),
        r.startsAt(),
        r.expiresAt());
  }

  /** The world after the victims have left and wait again. */
  static World back(World world) {
    List<PendingJob> pending = new ArrayList<>(world.pending());
    for (World.LiveAttempt each : of(world)) {
      boolean waits = pending.stream().anyMatch(p -> p.job().id().equals(each.job().id()));
      if (!waits && stops(each.attempt())) {
        PendingJob.Offer offer = new PendingJob.Offer(each.attempt().element(), 1, null);
        pending.add(new PendingJob(each.job(), List.of(offer), List.of(), null));
      }
    }
    return Changed.pending(gone(world, l -> true), pending);
  }

  static boolean by(World.LiveAttempt live, Instant time) {
    Attempt attempt = live.attempt();
    if (attempt.stop() != null) {
      return !attempt.stop().deadline().isAfter(time);
    }
    Duration grace = live.job().spec().preemption().gracePeriod();
    return attempt.members().stream()
        .filter(Member::leaves)
        .allMatch(m -> !m.standing().since().plus(grace).isAfter(time));
  }

  static List<Decision.Preempt> preempts(Planned planned) {
    return planned.plan().decisions().stream()
        .filter(Decision.Preempt.class::isInstance)
        .map(Decision.Preempt.class::cast)
        .toList();
  }
}

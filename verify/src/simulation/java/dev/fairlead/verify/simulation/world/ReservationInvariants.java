package dev.fairlead.verify.simulation.world;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStatus;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Places reserved for those for whom others were evicted, and the cost of evictions. */
public final class ReservationInvariants {
  private static final int WHOLE = 1000;

  private final DurableState durable;
  private final Map<Reservation, Set<String>> thereBefore = new HashMap<>();

  private final Set<JobId> preempted = new HashSet<>();

  public ReservationInvariants(DurableState durable) {
    this.durable = durable;
  }

  public void check(List<Attempt> attempts) {
    List<Attempt> live = attempts.stream().filter(Attempt::live).toList();
    List<Reservation> now =
        durable.stores().reservations().all().stream().filter(Reservation::ordered).toList();
    now.stream()
        .filter(r -> r.kind() == Reservation.Kind.PREEMPTION)
        .forEach(r -> preempted.add(r.job()));
    thereBefore.keySet().retainAll(new HashSet<>(now));
    for (Reservation reservation : now) {
      Set<String> before = thereBefore.computeIfAbsent(reservation, r -> names(live));
      kept(
          reservation,
          live.stream()
              .filter(a -> !a.job().equals(reservation.job()))
              /* another scheduler ignores reservations */
              .filter(a -> !durable.chooses(a.cluster()))
              /*
               * a job that may evict the gang gets the reservation even if a fault occurs in
               * between
               */
              .filter(
                  a -> reservation.kind() != Reservation.Kind.FAULT || !preempted.contains(a.job()))
              .flatMap(a -> a.members().stream().filter(m -> !before.contains(name(a, m))))
              .toList());
    }
    price(attempts);
  }

  private static Set<String> names(List<Attempt> attempts) {
    return attempts.stream()
        .flatMap(a -> a.members().stream().map(m -> name(a, m)))
        .collect(Collectors.toSet());
  }

  private static String name(Attempt attempt, Member member) {
    return ObjectNames.pod(attempt.id(), MemberKey.of(member));
  }

  /** The reserved share of a GPU and the shares of new jobs never exceed the GPU. */
  private static void kept(Reservation reservation, List<Member> newcomers) {
    Map<String, Integer> held = new HashMap<>();
    add(newcomers, held);
    Map<String, Integer> reserved = new HashMap<>();
    add(reservation.members(), reserved);
    reserved.forEach((gpu, milli) -> {
      if (milli + held.getOrDefault(gpu, 0) > WHOLE) {
        throw new InvariantBroken(Invariant.RESERVED_PLACE_IS_KEPT, gpu + " of " + reservation);
      }
    });
  }

  private static void add(List<Member> members, Map<String, Integer> milli) {
    for (Member member : members) {
      for (GpuShare share : member.gpus()) {
        milli.merge(member.node().text() + "/" + share.index(), share.milli(), Integer::sum);
      }
    }
  }

  private void price(List<Attempt> attempts) {
    Map<JobId, Map<Integer, Integer>> counted = new HashMap<>();
    Set<JobId> victims = new HashSet<>();
    for (Attempt attempt : attempts) {
      if (!attempt.live() && attempt.state() != AttemptState.PREEMPTED) {
        counted
            .computeIfAbsent(attempt.job(), job -> new HashMap<>())
            .merge(attempt.element(), 1, Integer::sum);
      }
      if (attempt.stop() != null && attempt.stop().cause() == StopCause.PREEMPTION) {
        victims.add(attempt.job());
      }
    }
    for (Job job : durable.stores().jobs().findAll(victims)) {
      if (!job.spec().preemption().allowed() && !stoppedAtBudget(job)) {
        throw new InvariantBroken(Invariant.VICTIMS_ARE_PREEMPTIBLE, job.name());
      }
      Map<Integer, Integer> ended = counted.getOrDefault(job.id(), Map.of());
      if (job.array() == null) {
        price(job, job.run(), ended.getOrDefault(0, 0));
      } else {
        durable
            .stores()
            .jobs()
            .elements(job.id(), 0, job.array().elements())
            .forEach(e -> price(job, e.run(), ended.getOrDefault(e.index(), 0)));
      }
    }
  }

  /** A budget stops any job that runs beyond its hours. */
  private boolean stoppedAtBudget(Job job) {
    return durable.stores().auditEntries().stream()
        .anyMatch(entry ->
            entry.operation().equals("stopAtBudget") && job.id().text().equals(entry.subject()));
  }

  private static void price(Job job, JobStatus run, int ended) {
    if (run.failures() > ended) {
      throw new InvariantBroken(Invariant.PREEMPTION_COSTS_NOTHING, job.name() + " " + run);
    }
  }
}

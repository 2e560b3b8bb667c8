package dev.fairlead.work.placement.preemption;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.SizeTransitions;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/** A unit of eviction, which leaves as a whole and frees its resources for another job. */
sealed interface PreemptionUnit {
  double MILLIS = 1000;
  int LAST = 99_999;

  ClusterId cluster();

  List<Member> members();

  /** Returns whether the attempt ends when these members leave. */
  boolean whole();

  /** Removes the unit from the working copy. */
  Undo vacate();

  RunningJob candidate();

  /** A surplus member of a gang, or all members of an attempt. */
  record RunningMembers(String key, RunningAttempt running, List<Member> members, boolean whole)
      implements PreemptionUnit {
    public RunningMembers {
      members = List.copyOf(members);
    }

    @Override
    public ClusterId cluster() {
      return running.attempt().cluster();
    }

    @Override
    public Undo vacate() {
      return running.vacate(members);
    }

    @Override
    public RunningJob candidate() {
      return RunningJobBuilder.builder()
          .key(key)
          .gang(running.attempt().id().text())
          .queue(running.job().queue())
          .priority(running.job().priority())
          .lost(running.lost(whole ? running.attempt().withFinished() : members))
          .created(seconds(running.job().createdAt()))
          .leaving(false)
          .use(whole ? running.charges() : Attempt.charges(members))
          .build();
    }
  }

  /** A reservation after a fault, for a gang that waits. Its eviction loses no work. */
  record FaultNodes(String key, Reservation reservation, Job job, Reservations reservations)
      implements PreemptionUnit {
    @Override
    public ClusterId cluster() {
      return reservation.cluster();
    }

    @Override
    public List<Member> members() {
      return reservation.members();
    }

    @Override
    public boolean whole() {
      return true;
    }

    @Override
    public Undo vacate() {
      reservations.lend(reservation.key());
      return () -> reservations.restore(reservation.key());
    }

    @Override
    public RunningJob candidate() {
      return RunningJobBuilder.builder()
          .key(key)
          .gang(key)
          .queue(job.queue())
          .priority(job.priority())
          .lost(0)
          .created(seconds(job.createdAt()))
          .leaving(false)
          .use(reservation.charges())
          .build();
    }

    /** Returns whether that job may still take the reservation. */
    boolean yieldsTo(Job preemptor) {
      return !job.id().equals(preemptor.id()) && reservations.contains(reservation);
    }
  }

  /** Adds the units of one attempt: each member beyond its minimum, and the whole attempt. */
  static void of(RunningAttempt running, SortedMap<String, PreemptionUnit> units) {
    Attempt attempt = running.attempt();
    String id = attempt.id().text();
    for (Member member : SizeTransitions.surplus(running.job(), attempt)) {
      /* Of equal members the last one leaves first, since keys break ties. */
      String key = "%s/%05d-%s".formatted(id, LAST - member.index(), member.role());
      units.put(key, new RunningMembers(key, running, List.of(member), false));
    }
    units.put(id, new RunningMembers(id, running, attempt.members(), true));
  }

  /** Adds the unit of a reservation after a fault, once the attempt has left. */
  static void of(
      Reservation reservation,
      Job job,
      Reservations reservations,
      SortedMap<String, PreemptionUnit> units) {
    String key = "kept-%s-%d".formatted(reservation.job().text(), reservation.element());
    units.put(key, new FaultNodes(key, reservation, job, reservations));
  }

  /** Returns the time on the clock of {@link RunningJob#created}. */
  static double seconds(Instant time) {
    return time.toEpochMilli() / MILLIS;
  }
}

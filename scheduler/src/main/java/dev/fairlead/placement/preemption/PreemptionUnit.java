package dev.fairlead.placement.preemption;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.job.Member;
import dev.fairlead.job.Reservation;
import dev.fairlead.job.SizeTransitions;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.reservation.Reservations;
import dev.fairlead.placement.reservation.RunningAttempt;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/** What may go at once, so that another job gets what it holds. */
sealed interface PreemptionUnit {
  double MILLIS = 1000;
  int LAST = 99_999;

  /** As in {@link RunningJob}. */
  String key();

  ClusterId cluster();

  List<Member> members();

  /** Whether nothing of it is left when these go. */
  boolean whole();

  /** The working copy as if it were gone. */
  Undo vacate();

  RunningJob running();

  /** A member that its gang can do without, or all of an attempt. */
  record Running(String key, RunningAttempt holder, List<Member> members, boolean whole)
      implements PreemptionUnit {
    public Running {
      members = List.copyOf(members);
    }

    @Override
    public ClusterId cluster() {
      return holder.attempt().cluster();
    }

    @Override
    public Undo vacate() {
      return holder.vacate(members);
    }

    @Override
    public RunningJob running() {
      return new RunningJob(
          key,
          holder.attempt().id().text(),
          holder.job().queue(),
          holder.job().priority(),
          holder.lost(members),
          seconds(holder.job().createdAt()),
          false,
          whole ? holder.charges() : Attempt.charges(members));
    }
  }

  /** What a fault left of the place of a gang that waits: no work is lost with it. */
  record Place(String key, Reservation place, Job job, Reservations holds)
      implements PreemptionUnit {
    @Override
    public ClusterId cluster() {
      return place.cluster();
    }

    @Override
    public List<Member> members() {
      return place.members();
    }

    @Override
    public boolean whole() {
      return true;
    }

    @Override
    public Undo vacate() {
      holds.lend(place.key());
      return () -> holds.restore(place.key());
    }

    @Override
    public RunningJob running() {
      return new RunningJob(
          key,
          key,
          job.queue(),
          job.priority(),
          0,
          seconds(job.createdAt()),
          false,
          place.charges());
    }

    /** Whether it may still be taken, by that job. */
    boolean standsFor(Job preemptor) {
      return !job.id().equals(preemptor.id()) && holds.keeps(place);
    }
  }

  /** Of one attempt: each member beyond its fewest, and all of it. */
  static void of(RunningAttempt holder, SortedMap<String, PreemptionUnit> leavers) {
    Attempt attempt = holder.attempt();
    String id = attempt.id().text();
    for (Member member : SizeTransitions.surplus(holder.job(), attempt)) {
      // of equal members the last goes first: keys break ties
      String key = "%s/%05d-%s".formatted(id, LAST - member.index(), member.role());
      leavers.put(key, new Running(key, holder, List.of(member), false));
    }
    leavers.put(id, new Running(id, holder, attempt.members(), true));
  }

  /** What is kept after a fault, once the attempt has left. */
  static void of(
      Reservation place, Job job, Reservations holds, SortedMap<String, PreemptionUnit> leavers) {
    String key = "kept-%s-%d".formatted(place.job().text(), place.element());
    leavers.put(key, new Place(key, place, job, holds));
  }

  /** On the clock of {@link RunningJob#created}. */
  static double seconds(Instant time) {
    return time.toEpochMilli() / MILLIS;
  }
}

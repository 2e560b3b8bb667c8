package dev.fairlead.work.placement.reservation;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.node.ReservedCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A live attempt with its resources in the working copy. */
public final class RunningAttempt {
  /** Time after its grace period during which an attempt is still expected to end. */
  public static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final double MILLI = 1000;

  private final Attempt attempt;
  private final Job job;
  private final Fleet fleet;
  private final Instant asOf;
  private @Nullable SortedMap<QuotaCell, Long> charges;
  private @Nullable List<Member> leaving;
  private boolean chosen;
  private @Nullable Neighbours neighbours;

  RunningAttempt(World.LiveAttempt live, Fleet fleet, Instant asOf) {
    attempt = live.attempt();
    job = live.job();
    this.fleet = fleet;
    this.asOf = asOf;
  }

  public Attempt attempt() {
    return attempt;
  }

  public Job job() {
    return job;
  }

  /** Returns base units by cell. */
  public SortedMap<QuotaCell, Long> charges() {
    SortedMap<QuotaCell, Long> known = charges;
    if (known == null) {
      known = attempt.charges();
      charges = known;
    }
    return known;
  }

  /**
   * Returns whether the attempt is stopping, or was chosen to stop in this cycle, and will release
   * its resources.
   */
  public boolean leaves() {
    Attempt.StopOrder stop = attempt.stop();
    return chosen
        || attempt.state() == AttemptState.STOPPING
            && stop != null
            && asOf.isBefore(stop.deadline().plus(PATIENCE));
  }

  /** Marks the attempt as leaving. */
  public void choose() {
    chosen = true;
  }

  /** Marks these members as leaving while the attempt continues. */
  public void choose(List<Member> members) {
    leaving = List.copyOf(members);
  }

  /**
   * Returns the leaving members: all members of an attempt that ends, or some members of an attempt
   * that shrinks.
   */
  public List<Member> leaving() {
    if (leaves()) {
      return attempt.members();
    }
    List<Member> known = leaving;
    if (known == null) {
      known = leavingMembers();
      leaving = known;
    }
    return known;
  }

  private List<Member> leavingMembers() {
    List<Member> members = List.of();
    for (Member member : attempt.members()) {
      Member.Standing standing = member.standing();
      if (standing != null && member.leaves()) {
        Instant end = standing.since().plus(job.spec().preemption().gracePeriod());
        if (asOf.isBefore(end.plus(PATIENCE))) {
          members = members.isEmpty() ? new ArrayList<>() : members;
          members.add(member);
        }
      }
    }
    return members;
  }

  /** Returns whether some members leave while the attempt continues. */
  public boolean shrinks() {
    return !leaves() && !leaving().isEmpty();
  }

  /** Returns the members that do not leave if the attempt {@link #shrinks}, else all members. */
  public List<Member> rest() {
    return shrinks()
        ? attempt.members().stream().filter(m -> !leaving().contains(m)).toList()
        : attempt.members();
  }

  /** Returns whether the attempt stops as a whole, or has no leaving members at all. */
  boolean goesWhole() {
    return attempt.stop() != null
        || !shrinks() && attempt.left().stream().allMatch(Member::finished);
  }

  /** Returns how long all members have run, zero before that. */
  public Duration ran() {
    Instant started = attempt.startedAt();
    return started == null || started.isAfter(asOf)
        ? Duration.ZERO
        : Duration.between(started, asOf);
  }

  /** Returns the run time since the last known checkpoint, or since all members run. */
  public Duration unsaved() {
    Instant saved = attempt.checkpointedAt();
    if (saved == null) {
      return ran();
    }
    Duration since = saved.isAfter(asOf) ? Duration.ZERO : Duration.between(saved, asOf);
    return since.compareTo(ran()) < 0 ? since : ran();
  }

  /**
   * Returns the work that is lost if these members end now: GPU seconds since the last known
   * checkpoint, or since all members run. Members without GPUs count in member seconds.
   */
  public double lost(List<Member> members) {
    return lost(members, Duration.ZERO);
  }

  /** Returns the lost work including additional time that the end costs. */
  public double lost(List<Member> members, Duration more) {
    double gpus = members.stream().mapToLong(m -> m.request().gpuMilli()).sum() / MILLI;
    return unsaved().plus(more).toSeconds() * (gpus > 0 ? gpus : members.size());
  }

  /** Returns the rules for jobs in the same domain as its members. */
  public Neighbours neighbours() {
    Neighbours known = neighbours;
    if (known == null) {
      known = fleet.neighbours().of(job);
      neighbours = known;
    }
    return known;
  }

  /** Removes these members from the working copy. */
  public Undo vacate(List<Member> members) {
    List<Undo> undone = new ArrayList<>(members.size());
    for (Member member : members) {
      ReservedCapacity capacity = fleet.reserved(member.node());
      if (capacity != null) {
        undone.add(capacity.vacate(attempt.id(), member, neighbours()));
      }
    }
    return () -> undone.forEach(Undo::run);
  }
}

package dev.fairlead.work.placement.reservation;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.ReservedCapacity;
import dev.fairlead.work.placement.ledger.Undo;
import dev.fairlead.work.placement.shape.AntiAffinity;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A live attempt with what it holds of the working copy. */
public final class RunningAttempt {
  /** How long after its grace period an attempt is still expected to end. */
  public static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final double MILLI = 1000;

  private final Attempt attempt;
  private final Job job;
  private final Fleet fleet;
  private final Instant asOf;
  private @Nullable SortedMap<QuotaCell, Long> charges;
  private @Nullable List<Member> leaving;
  private boolean chosen;

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

  /** Base units by cell. */
  public SortedMap<QuotaCell, Long> charges() {
    SortedMap<QuotaCell, Long> known = charges;
    if (known == null) {
      known = attempt.charges();
      charges = known;
    }
    return known;
  }

  /** Whether it is stopping, or chosen to stop in this cycle, and will give up what it holds. */
  public boolean leaves() {
    Attempt.StopOrder stop = attempt.stop();
    return chosen
        || attempt.state() == AttemptState.STOPPING
            && stop != null
            && asOf.isBefore(stop.deadline().plus(PATIENCE));
  }

  /** From now on it leaves. */
  public void choose() {
    chosen = true;
  }

  /** From now on these members of it leave, and it runs on. */
  public void choose(List<Member> members) {
    leaving = List.copyOf(members);
  }

  /**
   * Members that leave: all of an attempt that ends, the leaving ones of an attempt that shrinks.
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

  /** Whether members of it leave while it runs on. */
  public boolean shrinks() {
    return !leaves() && !leaving().isEmpty();
  }

  /** Members that do not leave, of one that {@link #shrinks}; of any other all. */
  public List<Member> rest() {
    return shrinks()
        ? attempt.members().stream().filter(m -> !leaving().contains(m)).toList()
        : attempt.members();
  }

  /** Whether it stops as a whole, or has no leaving members at all. */
  boolean goesWhole() {
    return attempt.stop() != null || !shrinks() && attempt.left().isEmpty();
  }

  /** How long it has run, zero before all its members did. */
  public Duration ran() {
    Instant started = attempt.startedAt();
    return started == null || started.isAfter(asOf)
        ? Duration.ZERO
        : Duration.between(started, asOf);
  }

  /** How long it has run since the last checkpoint that is known, or since all members run. */
  public Duration unsaved() {
    Instant saved = attempt.checkpointedAt();
    if (saved == null) {
      return ran();
    }
    Duration since = saved.isAfter(asOf) ? Duration.ZERO : Duration.between(saved, asOf);
    return since.compareTo(ran()) < 0 ? since : ran();
  }

  /**
   * What the end of these members now would throw away: GPU seconds since the last checkpoint that
   * is known, or since all members run; member seconds where they have no GPU.
   */
  public double lost(List<Member> members) {
    return lost(members, Duration.ZERO);
  }

  /** The same with extra time that the end costs. */
  public double lost(List<Member> members, Duration more) {
    double gpus = members.stream().mapToLong(m -> m.request().gpuMilli()).sum() / MILLI;
    return unsaved().plus(more).toSeconds() * (gpus > 0 ? gpus : members.size());
  }

  /** The working copy as if these members were gone. */
  public Undo vacate(List<Member> members) {
    List<Undo> undone = new ArrayList<>(members.size());
    for (Member member : members) {
      ReservedCapacity capacity = fleet.reserved(member.node());
      if (capacity != null) {
        undone.add(capacity.vacate(attempt.id(), member, AntiAffinity.of(job.spec().placement())));
      }
    }
    return () -> undone.forEach(Undo::run);
  }
}

package dev.fairlead.work.attempt;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One try of a job, or of an element of an array, on one cluster.
 *
 * @param element index in the array, 0 for a job that is not an array
 * @param number from 1 for each job and element
 * @param epoch epoch under which the scheduler planned it
 * @param members members by role and index. They hold the allocation until the attempt is terminal
 * @param left members that left it before. They hold nothing, and their indexes are not used again
 */
@RecordBuilder
public record Attempt(
    AttemptId id,
    JobId job,
    int element,
    int number,
    ClusterId cluster,
    long epoch,
    Instant createdAt,
    AttemptStatus status,
    List<Member> members,
    List<Member> left)
    implements AttemptBuilder.With {
  /**
   * Reason why an attempt has not ended yet, and its time limit.
   *
   * @param checkpoint the request before the stop, null for an immediate stop
   */
  public record StopOrder(
      StopCause cause, Instant deadline, @Nullable CheckpointRequest checkpoint) {
    /** The program needs more time to save its work. */
    StopOrder extended(Instant wanted, Duration longest) {
      if (checkpoint == null || !checkpoint.open()) {
        return this;
      }
      CheckpointRequest longer = checkpoint.extended(wanted, longest);
      Duration more = Duration.between(checkpoint.until(), longer.until());
      return new StopOrder(cause, deadline.plus(more), longer);
    }

    /** The wait has ended and the grace period begins. */
    StopOrder checkpointEnded(CheckpointRequest.Outcome how, Instant now) {
      if (checkpoint == null || !checkpoint.open()) {
        return this;
      }
      Duration grace = Duration.between(checkpoint.until(), deadline);
      return new StopOrder(cause, now.plus(grace), checkpoint.ended(how));
    }
  }

  public Attempt {
    members = List.copyOf(members);
    left = List.copyOf(left);
  }

  public AttemptState state() {
    return status.state();
  }

  public @Nullable Instant launchedAt() {
    return status.launchedAt();
  }

  public @Nullable Instant startedAt() {
    return status.startedAt();
  }

  public @Nullable Instant unreachableSince() {
    return status.unreachableSince();
  }

  public @Nullable Instant endedAt() {
    return status.endedAt();
  }

  public @Nullable StopOrder stop() {
    return status.stop();
  }

  public @Nullable Failure failure() {
    return status.failure();
  }

  public @Nullable Instant retiredAt() {
    return status.retiredAt();
  }

  public @Nullable Instant checkpointedAt() {
    return status.checkpointedAt();
  }

  /** Core members, without members that join or leave. */
  public List<Member> core() {
    return members.stream().filter(m -> m.standing() == null).toList();
  }

  /** Current and finished members, without members that were ordered to leave. */
  public List<Member> withFinished() {
    List<Member> all = new ArrayList<>(members);
    left.stream().filter(Member::finished).forEach(all::add);
    return all;
  }

  /** All present and past members, members that left last. */
  public List<Member> everyMember() {
    List<Member> all = new ArrayList<>(members);
    all.addAll(left);
    return all;
  }

  /**
   * Members of this attempt that the other row of the same attempt lacks, or has with resources on
   * another node.
   */
  public List<Member> without(Attempt other) {
    SortedMap<MemberKey, Member> theirs = new TreeMap<>();
    other.members.forEach(m -> theirs.put(MemberKey.of(m), m));
    return members.stream()
        .filter(m -> {
          Member its = theirs.get(MemberKey.of(m));
          return its == null || !its.node().equals(m.node());
        })
        .toList();
  }

  /**
   * Members that a launch must create. A joining member is created only when no leaving member
   * remains, because it may replace a member that is not known to be dead.
   */
  public List<Member> toCreate() {
    boolean leaving = members.stream().anyMatch(Member::leaves);
    return members.stream().filter(m -> m.toCreate() && !(leaving && m.joins())).toList();
  }

  /** Number of members that left it, or were ordered to leave, after that time. */
  public long goneSince(Instant time) {
    return everyMember().stream().filter(m -> m.goneSince(time)).count();
  }

  /** The first unused member index of the role. */
  public int nextIndex(String role) {
    return everyMember().stream()
            .filter(m -> m.role().equals(role))
            .mapToInt(Member::index)
            .max()
            .orElse(-1)
        + 1;
  }

  /** Holds its allocation: every state that is not terminal. */
  public boolean live() {
    return !AttemptLifecycle.TABLE.terminal(state());
  }

  /**
   * Returns the quota charged for the members, in base units: cpu, memory, gpu and extended
   * resources of each member's flavor. Slices that a cluster offers as separate resources count as
   * the corresponding part of a GPU. Amounts of zero are omitted. Pods are not counted.
   */
  public SortedMap<QuotaCell, Long> charges() {
    return charges(members);
  }

  /** Returns the quota charged for any list of members. */
  public static SortedMap<QuotaCell, Long> charges(List<Member> members) {
    SortedMap<QuotaCell, Long> charges = new TreeMap<>();
    for (Member member : members) {
      for (String resource : member.request().names()) {
        long amount = member.request().amount(resource);
        if (amount != 0 && !resource.equals(ResourceNames.PODS)) {
          QuotaCell cell = new QuotaCell(member.flavor(), resource);
          charges.merge(cell.counted(), Saturating.times(cell.each(), amount), Saturating::plus);
        }
      }
    }
    return charges;
  }

  public Attempt with(List<Member> now) {
    return with(now, left);
  }

  public Attempt with(List<Member> now, List<Member> gone) {
    return with().members(now).left(gone).build();
  }

  /** Time from which its start counts: its launch, or its placement if the launch is unknown. */
  public Instant startsFrom() {
    return launchedAt() == null ? createdAt : launchedAt();
  }

  public Attempt retired(Instant now) {
    return withStatus(status.withRetiredAt(now));
  }

  /** The job can resume from its current work. */
  public Attempt checkpointed(Instant now) {
    return withStatus(status.withCheckpointedAt(now));
  }

  Attempt in(AttemptState next) {
    return withStatus(status.withState(next));
  }

  Attempt launchedAt(Instant now) {
    return withStatus(status.withLaunchedAt(now));
  }

  Attempt startedAt(Instant now) {
    return startedAt() == null ? withStatus(status.withStartedAt(now)) : this;
  }

  /**
   * Returns the attempt after another user has taken it over. Its run time begins again, and its
   * pods continue.
   */
  public Attempt ownedSince(Instant now) {
    return withStatus(status.withStartedAt(now));
  }

  /** Time since which it cannot be observed, null if it can. */
  Attempt unreachableSince(@Nullable Instant since) {
    return withStatus(status.withUnreachableSince(since));
  }

  /** The pending checkpoint request before the stop. Null otherwise. */
  public @Nullable CheckpointRequest awaitedCheckpoint() {
    CheckpointRequest request = checkpointRequest();
    return live() && request != null && request.open() ? request : null;
  }

  /** The checkpoint request before the stop, even after its end, null if none. */
  public @Nullable CheckpointRequest checkpointRequest() {
    return stop() == null ? null : stop().checkpoint();
  }

  Attempt stopping(StopOrder order, Failure why) {
    return withStatus(status.with().stop(order).failure(why).build());
  }

  /**
   * Extends the wait for its checkpoint to that time. Unchanged if nothing is pending, or the wait
   * is long enough already.
   *
   * @param longest since the request
   */
  public Attempt checkpointExtended(Instant wanted, Duration longest) {
    StopOrder later = stop() == null ? null : stop().extended(wanted, longest);
    return withStatus(status.withStop(later));
  }

  Attempt checkpointEnded(CheckpointRequest.Outcome how, Instant now) {
    StopOrder over = stop() == null ? null : stop().checkpointEnded(how, now);
    return withStatus(status.withStop(over));
  }

  Attempt ended(Instant now, Failure why) {
    Failure shown = state() == AttemptState.SUCCEEDED ? null : why;
    Attempt over = checkpointEnded(CheckpointRequest.Outcome.EXITED, now);
    return over.withStatus(over.status.with().endedAt(now).failure(shown).build());
  }

  /** Returns the attempt with a reason for its end that became known afterwards. */
  public Attempt explained(Failure why) {
    return withStatus(status.withFailure(why));
  }

  /** Returns whether the attempt ends because its time limit has expired. */
  public boolean outOfTime() {
    return stop() != null
        && (stop().cause() == StopCause.DEADLINE || stop().cause() == StopCause.START_TIMEOUT);
  }
}

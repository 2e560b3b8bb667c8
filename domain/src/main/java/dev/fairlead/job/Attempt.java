package dev.fairlead.job;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.MigSlices;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.resources.MigGeometry;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.Saturating;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One try of a job, or of an element of an array, on one cluster.
 *
 * @param element index in the array, 0 for a job that is none
 * @param number from 1 for each job and element
 * @param term term under which the scheduler planned it
 * @param startedAt when all members ran first
 * @param stop why it is told to end, null while it is not
 * @param failure why it ended or is ending badly
 * @param retiredAt when nothing of it was left on its cluster
 * @param members by role and index; they hold the allocation until the attempt is terminal
 * @param checkpointedAt when its job last said that its work up to then can be taken up again
 * @param left members that left it before; they hold nothing, and their indexes are not used again
 */
public record Attempt(
    AttemptId id,
    JobId job,
    int element,
    int number,
    AttemptState state,
    ClusterId cluster,
    long term,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable StopOrder stop,
    @Nullable Failure failure,
    @Nullable Instant retiredAt,
    @Nullable Instant checkpointedAt,
    List<Member> members,
    List<Member> left) {
  /** Why and until when an attempt may still take to end. */
  public record StopOrder(StopCause cause, Instant deadline) {}

  public Attempt {
    members = List.copyOf(members);
    left = List.copyOf(left);
  }

  /** Which nobody has left, and of which no checkpoint is known. */
  public Attempt(
      AttemptId id,
      JobId job,
      int element,
      int number,
      AttemptState state,
      ClusterId cluster,
      long term,
      Instant createdAt,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable StopOrder stop,
      @Nullable Failure failure,
      @Nullable Instant retiredAt,
      List<Member> members) {
    this(
        id, job, element, number, state, cluster, term, createdAt, startedAt, endedAt, stop,
        failure, retiredAt, null, members, List.of());
  }

  /** Members without which it is not whole: all but those that join or leave. */
  public List<Member> core() {
    return members.stream().filter(m -> m.standing() == null).toList();
  }

  /** Every member that it has or had, those that left last. */
  public List<Member> everyMember() {
    List<Member> all = new ArrayList<>(members);
    all.addAll(left);
    return all;
  }

  /** Members that it has and the other row of the same attempt has not. */
  public List<Member> without(Attempt other) {
    SortedSet<MemberKey> theirs = new TreeSet<>();
    other.members.forEach(m -> theirs.add(MemberKey.of(m)));
    return members.stream().filter(m -> !theirs.contains(MemberKey.of(m))).toList();
  }

  /** The first index of the role that no member of it has or had. */
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
    return !AttemptLifecycle.TABLE.terminal(state);
  }

  /**
   * What its members count in quota, in base units: cpu, memory, gpu and extended resources of each
   * member's flavor. Slices that a cluster offers as resources of their own count as the part of a
   * GPU that they are. Amounts of zero are left out; pods are not counted.
   */
  public SortedMap<QuotaCell, Long> charges() {
    return charges(members);
  }

  /** The same of any members. */
  public static SortedMap<QuotaCell, Long> charges(List<Member> members) {
    SortedMap<QuotaCell, Long> charges = new TreeMap<>();
    for (Member member : members) {
      for (String resource : member.request().names()) {
        long amount = member.request().amount(resource);
        String profile = MigSlices.profile(resource);
        if (profile != null) {
          long each = MigGeometry.milli(member.flavor().model(), profile);
          add(charges, member, ResourceNames.GPU, Saturating.times(each, amount));
        } else if (!resource.equals(ResourceNames.PODS)) {
          add(charges, member, resource, amount);
        }
      }
    }
    return charges;
  }

  private static void add(
      SortedMap<QuotaCell, Long> charges, Member member, String resource, long amount) {
    if (amount != 0) {
      charges.merge(new QuotaCell(member.flavor(), resource), amount, Saturating::plus);
    }
  }

  public Attempt with(List<Member> now) {
    return with(now, left);
  }

  public Attempt with(List<Member> now, List<Member> gone) {
    return new Attempt(
        id,
        job,
        element,
        number,
        state,
        cluster,
        term,
        createdAt,
        startedAt,
        endedAt,
        stop,
        failure,
        retiredAt,
        checkpointedAt,
        now,
        gone);
  }

  public Attempt retired(Instant now) {
    return copy(state, startedAt, endedAt, stop, failure, now, members);
  }

  /** Its work up to now can be taken up again. */
  Attempt checkpointed(Instant now) {
    return new Attempt(
        id, job, element, number, state, cluster, term, createdAt, startedAt, endedAt, stop,
        failure, retiredAt, now, members, left);
  }

  Attempt in(AttemptState next) {
    return copy(next, startedAt, endedAt, stop, failure, retiredAt, members);
  }

  Attempt startedAt(Instant now) {
    return copy(
        state, startedAt == null ? now : startedAt, endedAt, stop, failure, retiredAt, members);
  }

  Attempt stopping(StopCause cause, Instant deadline, Failure why) {
    return copy(state, startedAt, endedAt, new StopOrder(cause, deadline), why, retiredAt, members);
  }

  Attempt ended(Instant now, Failure why) {
    Failure shown = state == AttemptState.SUCCEEDED ? null : why;
    return copy(state, startedAt, now, stop, shown, retiredAt, members);
  }

  private Attempt copy(
      AttemptState s,
      @Nullable Instant started,
      @Nullable Instant ended,
      @Nullable StopOrder order,
      @Nullable Failure why,
      @Nullable Instant retired,
      List<Member> m) {
    return new Attempt(
        id,
        job,
        element,
        number,
        s,
        cluster,
        term,
        createdAt,
        started,
        ended,
        order,
        why,
        retired,
        checkpointedAt,
        m,
        left);
  }
}

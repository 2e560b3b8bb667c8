package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.CapacityReservations;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.member.Member;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Capacity reserved for one element until it starts or the reservation ends. No other attempt takes
 * it, not even the attempt that left it.
 *
 * @param element index in the array, 0 for a job that is not an array
 * @param kind reason of the reservation
 * @param members every member with its node and GPUs, as it will start
 * @param victims attempts that it waits for. Victims of a PREEMPTION and a FAULT are ordered to
 *     leave
 * @param startsAt when the capacity can be free at the earliest, null = unknown
 * @param expiresAt time when it expires
 */
@RecordBuilder
public record Reservation(
    JobId job,
    int element,
    Kind kind,
    ClusterId cluster,
    List<Member> members,
    List<AttemptId> victims,
    Instant createdAt,
    @Nullable Instant startsAt,
    Instant expiresAt) {
  /** Event that frees the capacity. */
  public enum Kind {
    /** The victims leave. */
    PREEMPTION,
    /**
     * Running jobs end by their maximum runtime. Jobs that end before that may use it in the
     * meantime.
     */
    BACKFILL,
    /** Its nodes are reserved until they are free, without a time limit. */
    DRAIN,
    /** The attempt that lost a member to a fault leaves. Its job restarts on the same nodes. */
    FAULT,
    /** Its nodes are being tested. Jobs that test them for this job may use it in the meantime. */
    PREFLIGHT
  }

  public Reservation {
    members = List.copyOf(members);
    victims = List.copyOf(victims);
  }

  /** One element has one reservation at most. */
  public record Key(JobId job, int element) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byJob = job.compareTo(other.job);
      return byJob != 0 ? byJob : Integer.compare(element, other.element);
    }
  }

  /** Returns whether the reservation's victims are ordered to leave. */
  public boolean ordered() {
    return kind == Kind.PREEMPTION || kind == Kind.FAULT;
  }

  /** Reserved capacity on nodes, one entry for each member. */
  List<CapacityReservations.Kept> kept() {
    return members.stream()
        .map(member -> {
          SortedMap<Integer, Integer> milli = new TreeMap<>();
          member.gpus().forEach(share -> milli.merge(share.index(), share.milli(), Integer::sum));
          return new CapacityReservations.Kept(
              member.node(), milli, ordered() || kind == Kind.PREFLIGHT);
        })
        .toList();
  }

  /** Quota that its members will be charged, as in {@link Attempt#charges}. */
  public SortedMap<QuotaCell, Long> charges() {
    return Attempt.charges(members);
  }

  public Key key() {
    return new Key(job, element);
  }
}

package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Saving;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is decided for one job, or for one element of an array. */
public sealed interface Decision {
  JobId job();

  /** Version of the job that the decision rests on; 0 where it rests on none. */
  long jobVersion();

  /**
   * Start it.
   *
   * @param element index in the array, 0 for a job that is none
   * @param members every member with its node and GPUs, by role order of the spec, then index
   * @param taken places of others that end with its start, and stand when it does not start
   * @param quota its queue and the limited quota nodes above it, charged with it
   * @param tier by which it is placed, null when its queue has no routing policy
   */
  record Place(
      JobId job,
      long jobVersion,
      int element,
      ClusterId cluster,
      List<Member> members,
      List<Reservation> taken,
      List<DecisionRecord.QuotaState> quota,
      @Nullable UsedTier tier)
      implements Decision {
    public Place {
      members = List.copyOf(members);
      taken = List.copyOf(taken);
      quota = List.copyOf(quota);
    }
  }

  /**
   * It waits.
   *
   * @param classKey key of its explanation: equal jobs share one
   */
  record Hold(JobId job, long jobVersion, String classKey) implements Decision {}

  /**
   * The job can no longer end before its deadline, or meet a dependency, and fails. It has a {@link
   * Hold} as well.
   *
   * @param deadDependency what the dependency came to, for people; null for a deadline
   */
  record Expire(JobId job, long jobVersion, @Nullable String deadDependency) implements Decision {}

  /**
   * The job waits for capacity that victims give up; it has a {@link Hold} as well.
   *
   * @param victims at least one
   * @param reservation the capacity that is reserved for it
   * @param moved reservations for victims that start again elsewhere, by job and element
   * @param taken reservations of other jobs that end with the preemption, and stay if it is not
   *     carried out
   */
  record Preempt(
      JobId job,
      long jobVersion,
      List<Eviction> victims,
      Reservation reservation,
      List<Reservation> moved,
      List<Reservation> taken)
      implements Decision {
    /**
     * An attempt that is to end.
     *
     * @param right by which it is evicted
     * @param members the ones that leave it while it runs on; empty when it ends
     */
    public record Eviction(
        AttemptId attempt, JobId job, EvictionRight right, List<MemberKey> members) {
      public Eviction {
        members = List.copyOf(members);
      }
    }

    public Preempt {
      victims = List.copyOf(victims);
      moved = List.copyOf(moved);
      taken = List.copyOf(taken);
    }
  }

  /**
   * The attempt runs and gets more members, in capacity that no job waits for.
   *
   * @param members the new ones, with indexes that the attempt has not used
   */
  record Grow(JobId job, long jobVersion, AttemptId attempt, List<Member> members)
      implements Decision {
    public Grow {
      members = List.copyOf(members);
    }
  }

  /** It runs with more members than its owner wants now: these leave. */
  record Shrink(JobId job, long jobVersion, AttemptId attempt, List<MemberKey> members)
      implements Decision {
    public Shrink {
      members = List.copyOf(members);
    }
  }

  /**
   * The attempt runs on dearer capacity and is to end: its job starts again on reserved capacity,
   * which is kept for it.
   *
   * @param saving what that is expected to bring
   */
  record MoveBack(
      JobId job, long jobVersion, AttemptId attempt, Reservation reservation, Saving saving)
      implements Decision {}

  /** The attempt is to end: more is used than the windows of a quota limit leave. */
  record Overrun(JobId job, long jobVersion, AttemptId attempt) implements Decision {}

  /** It waits and a place is kept for it; it has a {@link Hold} as well. */
  record Reserve(JobId job, long jobVersion, Reservation reservation) implements Decision {}

  /**
   * What is kept for an element is kept no longer.
   *
   * @param reservation as the plan saw it: one that came in its place since stands
   */
  record Release(JobId job, long jobVersion, Reservation reservation) implements Decision {}
}

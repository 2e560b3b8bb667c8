package dev.fairlead.work.placement.decision;

import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Saving;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A decision about one job, or about one element of an array job. */
public sealed interface Decision {
  JobId job();

  /** Version of the job that the decision is based on, or 0 if it is based on none. */
  long jobVersion();

  /**
   * Starts the job.
   *
   * @param element index in the array, 0 if the job is not an array
   * @param members every member with its node and GPUs, by role order of the spec, then index
   * @param taken reservations of other jobs that end if the job starts and remain if it does not
   * @param quota the job's queue and the limited quota nodes above it, charged with the job
   * @param tier the routing tier of the placement, null if the queue has no routing policy
   */
  @RecordBuilder
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
   * The job waits.
   *
   * @param classKey key of its explanation, shared by equal jobs
   */
  record Hold(JobId job, long jobVersion, String classKey) implements Decision {}

  /**
   * The job fails because it can no longer end before its deadline, or because a dependency cannot
   * be met. It has a {@link Hold} as well, unless only elements fail.
   *
   * @param deadDependency the dependency that can no longer be met, of the job or of some elements,
   *     or null for a deadline
   */
  record Expire(JobId job, long jobVersion, @Nullable FailedDependency deadDependency)
      implements Decision {}

  /**
   * Admission checks of the job are requested. It has a {@link Hold} as well.
   *
   * @param checks all checks of its queue, by name
   */
  record Ask(JobId job, long jobVersion, List<String> checks) implements Decision {
    public Ask {
      checks = List.copyOf(checks);
    }
  }

  /**
   * The job waits for capacity that victims release. It has a {@link Hold} as well.
   *
   * @param victims at least one
   * @param reservation the capacity that is reserved for the job
   * @param moved reservations for victims that restart on other nodes, by job and element
   * @param taken reservations of other jobs that end with the preemption and remain if it is not
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
     * An attempt to evict.
     *
     * @param right the right by which it is evicted
     * @param members the members that leave while the attempt continues, empty if the whole attempt
     *     ends
     * @param warm whether its job waits in a warm pool. If a user has taken it since, nothing is
     *     evicted
     */
    public record Eviction(
        AttemptId attempt, JobId job, EvictionRight right, List<MemberKey> members, boolean warm) {
      /** An attempt of a job that is not in a warm pool. */
      public Eviction(AttemptId attempt, JobId job, EvictionRight right, List<MemberKey> members) {
        this(attempt, job, right, members, false);
      }

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
   * A running attempt gets more members, on capacity that no job waits for.
   *
   * @param members the new members, with indexes that the attempt has not used
   */
  record Grow(JobId job, long jobVersion, AttemptId attempt, List<Member> members)
      implements Decision {
    public Grow {
      members = List.copyOf(members);
    }
  }

  /** A running attempt has more members than now requested, and the surplus leaves. */
  record Shrink(JobId job, long jobVersion, AttemptId attempt, List<MemberKey> members)
      implements Decision {
    public Shrink {
      members = List.copyOf(members);
    }
  }

  /**
   * An attempt on more expensive capacity ends, and its job restarts on reserved capacity that is
   * held for it.
   *
   * @param saving the expected saving
   */
  record MoveBack(
      JobId job, long jobVersion, AttemptId attempt, Reservation reservation, Saving saving)
      implements Decision {}

  /** An attempt ends because use exceeds a quota limit after a window changed the limit. */
  record Leftover(JobId job, long jobVersion, AttemptId attempt) implements Decision {}

  /** The job waits with a reservation. It has a {@link Hold} as well. */
  record Reserve(JobId job, long jobVersion, Reservation reservation) implements Decision {}

  /**
   * Releases the reservation of an element.
   *
   * @param reservation as the plan saw it. A reservation that replaced it since then remains.
   */
  record Release(JobId job, long jobVersion, Reservation reservation) implements Decision {}
}

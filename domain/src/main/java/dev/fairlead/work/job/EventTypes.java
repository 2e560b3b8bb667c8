package dev.fairlead.work.job;

import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.event.FleetEventType;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;

/** Types of all events of jobs, elements, attempts, members, budgets and the fleet. */
public final class EventTypes {
  /** An ended attempt with remaining objects on its cluster. */
  public static final String NOT_CLEARED = "AttemptNotCleared";

  /** No object of an ended attempt remains on its cluster. */
  static final String RETIRED = "AttemptRetired";

  /** The owner of an attempt that does not use its GPUs is warned. */
  static final String IDLE = "AttemptIdle";

  /** Its job is suspended as a result. */
  static final String IDLE_RECLAIMED = "AttemptIdleReclaimed";

  /** An attempt exhausted its budget and is stopped. */
  static final String BUDGET_SPENT = "AttemptBudgetSpent";

  /** The wait for a requested checkpoint has ended. */
  static final String CHECKPOINT_ENDED = "AttemptCheckpointEnded";

  /** The wait continues. */
  static final String CHECKPOINT_EXTENDED = "AttemptCheckpointExtended";

  /** The devices of a member became known or changed while its state did not. */
  static final String DEVICES_REPORTED = "MemberDevicesReported";

  /** An admission check of a waiting job is requested from its controller. */
  static final String CHECK_REQUESTED = "JobCheckRequested";

  /** The controller of an admission check has reported. */
  static final String CHECK_REPORTED = "JobCheckReported";

  /** Sources report different devices for a member, or one device for two members. */
  static final String DEVICES_DISPUTED = "MemberDevicesDisputed";

  /** The resources of a member moved to the node to which another scheduler bound its pod. */
  public static final String MEMBER_MOVED = "MemberMoved";

  /** A member of a warm pool became the job of a user. */
  public static final String TAKEN = "JobTaken";

  private static final SortedSet<String> ALL = all();

  private EventTypes() {}

  /** Lists known names in order. */
  public static SortedSet<String> known() {
    return ALL;
  }

  /** {@code JobQueued} of a job that is now QUEUED. */
  public static String of(String subject, Enum<?> state) {
    String upper = state.name();
    return subject + upper.charAt(0) + upper.substring(1).toLowerCase(Locale.ROOT);
  }

  private static SortedSet<String> all() {
    SortedSet<String> all =
        new TreeSet<>(
            List.of(
                BUDGET_SPENT,
                CHECKPOINT_ENDED,
                CHECKPOINT_EXTENDED,
                "AttemptCheckpointed",
                "AttemptExplained",
                "AttemptGrown",
                IDLE,
                IDLE_RECLAIMED,
                NOT_CLEARED,
                RETIRED,
                "AttemptSetAside",
                "AttemptShrunk",
                "BudgetThresholdReached",
                "ElementsExpired",
                CHECK_REPORTED,
                CHECK_REQUESTED,
                "JobDeleted",
                "JobPatched",
                "JobRequeued",
                "JobSubmitted",
                TAKEN,
                DEVICES_DISPUTED,
                MEMBER_MOVED,
                DEVICES_REPORTED,
                "MemberJoined",
                "MemberLeaving",
                "MemberLeft",
                "MemberReplaced"));
    for (FleetEventType type : FleetEventType.values()) {
      all.add(type.text());
    }
    for (JobState state : JobState.values()) {
      all.add(of("Job", state));
      all.add(of("Element", state));
    }
    for (AttemptState state : AttemptState.values()) {
      all.add(of("Attempt", state));
    }
    for (MemberState state : MemberState.values()) {
      all.add(of("Member", state));
    }
    return Collections.unmodifiableSortedSet(all);
  }
}

package dev.fairlead.work.job.postgres.read;

import dev.fairlead.work.job.JobState;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Column {@code job.phase}, which the database derives from the state. Indexes have the phase
 * instead of the state, so that the steps of a placed job write no index entry.
 */
enum JobPhase {
  QUEUED,
  PLACED,
  SUCCEEDED,
  FAILED,
  CANCELLED,
  SUSPENDED,
  CANCELLING;

  static JobPhase of(JobState state) {
    return switch (state) {
      case QUEUED -> QUEUED;
      case ADMITTED, STARTING, RUNNING -> PLACED;
      case SUCCEEDED -> SUCCEEDED;
      case FAILED -> FAILED;
      case CANCELLED -> CANCELLED;
      case SUSPENDED -> SUSPENDED;
      case CANCELLING -> CANCELLING;
    };
  }

  /** Tables that contain jobs of this phase. The archive has only ended jobs. */
  String table() {
    return switch (this) {
      case SUCCEEDED, FAILED, CANCELLED -> "job_all";
      case QUEUED, PLACED, SUSPENDED, CANCELLING -> "job";
    };
  }

  /**
   * Condition of this phase as a subquery. The planner then estimates an average number of jobs.
   * With a constant and statistics from a time without such jobs, the planner would use an index
   * without this order and sort all of them.
   */
  String condition() {
    return "phase = (SELECT '" + name() + "')";
  }

  /** Phases of these states, each once. */
  static List<JobPhase> of(Collection<JobState> states) {
    return states.stream().map(JobPhase::of).distinct().toList();
  }

  /** Returns whether some job in the phases of these states has another state. */
  static boolean haveOtherStates(Collection<JobState> states) {
    Set<JobPhase> phases = EnumSet.noneOf(JobPhase.class);
    phases.addAll(of(states));
    return Arrays.stream(JobState.values())
        .anyMatch(state -> phases.contains(of(state)) && !states.contains(state));
  }
}

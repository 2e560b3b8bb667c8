package dev.fairlead.work.attempt;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An attempt that needs an action of its supervisor.
 *
 * @param version version of its job while the attempt lives, 0 afterwards. Requests with equal
 *     state and version are equal
 */
public record ActionRequest(AttemptId attempt, Kind kind, AttemptState state, long version) {
  /** Kind of request. Each kind has a separate window, so that no kind hides another. */
  public enum Kind {
    /** The attempt is PLANNED or LAUNCHING, and its members must be created. */
    START,
    /**
     * Includes attempts that run, pull images or are not visible while their job is being cancelled
     * or suspended, that have joining or leaving members, or whose job was patched recently.
     */
    CHANGE,
    /** STOPPING: its members must end. */
    STOP,
    /** The attempt has ended, and its remaining objects on the cluster must be removed. */
    CLEAR;

    /**
     * The action required by the attempt's state, until none of its objects remains on the cluster.
     */
    public static Optional<Kind> of(AttemptState state) {
      return switch (state) {
        case PLANNED, LAUNCHING -> Optional.of(START);
        case PULLING, RUNNING, UNKNOWN -> Optional.empty();
        case STOPPING -> Optional.of(STOP);
        case SUCCEEDED, FAILED, PREEMPTED, EVICTED, LOST, CANCELLED -> Optional.of(CLEAR);
      };
    }
  }

  /**
   * Selection of attempts.
   *
   * @param after last id read of each kind. Only higher ids are returned
   * @param each maximum of each kind, lowest ids first
   */
  public record Window(SortedMap<Kind, AttemptId> after, int each) {
    public Window {
      after = new TreeMap<>(after);
    }
  }
}

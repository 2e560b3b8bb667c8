package dev.fairlead.kernel.loop;

import java.time.Duration;

/**
 * State of a loop that should be running.
 *
 * @param alive whether its thread is alive
 * @param turning duration of the current pass. Zero between passes
 * @param sinceSuccess since its last successful pass, or since its start
 */
public record LoopStatus(String name, boolean alive, Duration turning, Duration sinceSuccess) {
  /** Returns whether the loop cannot continue without a restart. */
  public boolean hangs(Duration longestTurn) {
    return !alive || turning.compareTo(longestTurn) > 0;
  }
}

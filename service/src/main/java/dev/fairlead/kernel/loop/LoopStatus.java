package dev.fairlead.kernel.loop;

import java.time.Duration;

/**
 * How a loop that should be running does.
 *
 * @param alive whether its thread lives
 * @param turning how long its turn under way has lasted; zero between turns
 * @param sinceSuccess since its last turn that ended without a failure, or since it was started
 */
public record LoopStatus(String name, boolean alive, Duration turning, Duration sinceSuccess) {
  /** Whether it will not go on by itself. */
  public boolean hangs(Duration longestTurn) {
    return !alive || turning.compareTo(longestTurn) > 0;
  }
}

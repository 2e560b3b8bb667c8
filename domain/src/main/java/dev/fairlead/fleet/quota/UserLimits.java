package dev.fairlead.fleet.quota;

import org.jspecify.annotations.Nullable;

/**
 * What each user may have at once in a queue: {@link RunLimits}, and
 *
 * @param queued jobs that wait, each array as one; more are refused; null = no limit
 */
public record UserLimits(
    @Nullable Integer running,
    @Nullable Long gpuMilli,
    @Nullable Integer queued,
    @Nullable Long gpuMinutes) {
  public static final UserLimits NONE = new UserLimits(null, null, null, null);

  /** Of those that run. */
  public RunLimits runs() {
    return new RunLimits(running, gpuMilli, gpuMinutes);
  }
}

package dev.fairlead.fleet.quota;

import org.jspecify.annotations.Nullable;

/**
 * Limits of each user in a queue: {@link RunLimits}, and a limit of waiting jobs.
 *
 * @param queued waiting jobs, with each array counted as one, null = no limit. More are refused.
 */
public record UserLimits(
    @Nullable Integer running,
    @Nullable Long gpuMilli,
    @Nullable Integer queued,
    @Nullable Long gpuMinutes) {
  public static final UserLimits NONE = new UserLimits(null, null, null, null);

  /** Returns the limits of running jobs. */
  public RunLimits runs() {
    return new RunLimits(running, gpuMilli, gpuMinutes);
  }
}

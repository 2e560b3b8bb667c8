package dev.fairlead.people.tenant;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of jobs of a project that do not use their GPUs.
 *
 * @param below utilisation in percent below which a member is idle, above 0 and at most 100
 * @param warnAfter idle time of a job after which its owner is warned
 * @param reclaimAfter idle time after which it is suspended, longer than {@code warnAfter}, null
 *     for never
 * @param exempt labels that exempt a job
 */
public record IdlePolicy(
    int below,
    Duration warnAfter,
    @Nullable Duration reclaimAfter,
    SortedMap<String, String> exempt) {
  public IdlePolicy {
    exempt = Collections.unmodifiableSortedMap(new TreeMap<>(exempt));
  }
}

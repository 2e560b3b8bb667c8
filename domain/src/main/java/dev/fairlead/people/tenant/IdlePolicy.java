package dev.fairlead.people.tenant;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of jobs of a project that do not use the GPUs that they hold.
 *
 * @param below a member is idle below so many percent of utilisation, above 0 and at most 100
 * @param warnAfter its owner reads it when a job was idle for so long
 * @param reclaimAfter it is suspended when it was idle for so long, longer than {@code warnAfter};
 *     null for never
 * @param exempt a job with one of these labels is left alone
 */
public record IdlePolicy(
    int below,
    Duration warnAfter,
    @Nullable Duration reclaimAfter,
    SortedMap<String, String> exempt) {
  public IdlePolicy {
    exempt = Collections.unmodifiableSortedMap(new TreeMap<>(exempt));
  }

  /** Whether a job with these labels is left alone. */
  public boolean exempts(Map<String, String> labels) {
    return exempt.entrySet().stream()
        .anyMatch(label -> label.getValue().equals(labels.get(label.getKey())));
  }
}

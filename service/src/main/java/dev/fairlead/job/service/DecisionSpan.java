package dev.fairlead.job.service;

import dev.fairlead.job.DecisionRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decision and how long it was the newest of its job.
 *
 * @param until when the next was made or the job ended; null while neither happened
 */
public record DecisionSpan(DecisionRecord decided, @Nullable Instant until) {
  /**
   * @param decisions of one job, by time
   * @param endedAt when the job ended, null when it has not
   */
  static List<DecisionSpan> of(List<DecisionRecord> decisions, @Nullable Instant endedAt) {
    List<DecisionSpan> spans = new ArrayList<>();
    for (int i = 0; i < decisions.size(); i++) {
      boolean last = i + 1 == decisions.size();
      spans.add(new DecisionSpan(decisions.get(i), last ? endedAt : decisions.get(i + 1).at()));
    }
    return spans;
  }

  boolean covers(Instant time) {
    return !decided.at().isAfter(time) && (until == null || time.isBefore(until));
  }
}

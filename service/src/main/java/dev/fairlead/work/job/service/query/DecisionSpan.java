package dev.fairlead.work.job.service.query;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A decision and the time for which it was the newest of its job.
 *
 * @param until time of the next decision, of the end of the placed or unreachable attempt, or of
 *     the end or suspension of the job, null while none of these happened
 */
public record DecisionSpan(DecisionRecord decided, @Nullable Instant until) {
  /**
   * @param decisions decisions of one job, in their order
   * @param attempts attempts of the job, none for an array, because its elements end at different
   *     times
   */
  static List<DecisionSpan> of(
      List<DecisionRecord> decisions, JobStatus run, List<Attempt> attempts) {
    Map<Integer, Instant> ends = new TreeMap<>();
    for (Attempt attempt : attempts) {
      Instant ended = attempt.endedAt();
      if (ended != null) {
        ends.put(attempt.number(), ended);
      }
    }
    List<DecisionSpan> spans = new ArrayList<>();
    for (int i = 0; i < decisions.size(); i++) {
      DecisionRecord decided = decisions.get(i);
      boolean last = i + 1 == decisions.size();
      Instant end = last ? ended(run) : decisions.get(i + 1).at();
      Instant gone =
          switch (decided.body()) {
            case DecisionRecord.Placed placed -> ends.get(placed.attempt());
            case DecisionRecord.Unreachable unreachable -> ends.get(unreachable.attempt());
            case DecisionRecord.Waited _, DecisionRecord.Evicted _, DecisionRecord.Unreadable _ ->
                null;
          };
      Instant until = end == null || gone != null && gone.isBefore(end) ? gone : end;
      boolean before = until != null && until.isBefore(decided.at());
      spans.add(new DecisionSpan(decided, before ? decided.at() : until));
    }
    return spans;
  }

  private static @Nullable Instant ended(JobStatus run) {
    return run.state() == JobState.SUSPENDED ? run.changedAt() : run.endedAt();
  }

  boolean covers(Instant time) {
    return !decided.at().isAfter(time) && (until == null || time.isBefore(until));
  }
}

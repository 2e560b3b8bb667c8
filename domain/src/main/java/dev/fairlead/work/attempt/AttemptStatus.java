package dev.fairlead.work.attempt;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of an attempt that changes, except for its members.
 *
 * @param launchedAt when its first create was about to be sent, null if it was not launched
 * @param startedAt when all members ran first
 * @param unreachableSince start of the unreachable time Null otherwise
 * @param stop order to end it, null if none
 * @param failure why it ended or is ending badly
 * @param retiredAt when its last object on its cluster was removed
 * @param checkpointedAt when its job last reported a checkpoint from which it can resume
 */
@RecordBuilder
public record AttemptStatus(
    AttemptState state,
    @Nullable Instant launchedAt,
    @Nullable Instant startedAt,
    @Nullable Instant unreachableSince,
    @Nullable Instant endedAt,
    Attempt.@Nullable StopOrder stop,
    @Nullable Failure failure,
    @Nullable Instant retiredAt,
    @Nullable Instant checkpointedAt)
    implements AttemptStatusBuilder.With {
  /** Returns a state without times, stop order and failure. */
  public static AttemptStatus of(AttemptState state) {
    return AttemptStatusBuilder.builder()
        .state(state)
        .launchedAt(null)
        .startedAt(null)
        .unreachableSince(null)
        .endedAt(null)
        .stop(null)
        .failure(null)
        .retiredAt(null)
        .checkpointedAt(null)
        .build();
  }
}

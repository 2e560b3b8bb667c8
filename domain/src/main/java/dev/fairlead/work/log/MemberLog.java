package dev.fairlead.work.log;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Stored output of a member.
 *
 * @param position end of the read output
 * @param sequence sequence of the last part, 0 before the first
 * @param bytes bytes of the lines, before they are compressed
 * @param stored bytes of the chunks
 * @param gaps number of gaps
 * @param endedAt time of the end of the output, null while more may follow
 * @param removed reason for the removal of its chunks, null while they exist
 */
@RecordBuilder
public record MemberLog(
    LogMember of,
    LogPosition position,
    int sequence,
    long bytes,
    long stored,
    int gaps,
    @Nullable Instant endedAt,
    @Nullable Removal removed)
    implements MemberLogBuilder.With {
  /** Reason why the chunks of a log were removed. */
  public enum Removal {
    /** The logs reached the maximum age. */
    AGE,
    /** The logs of the project exceeded their maximum size. */
    SIZE
  }

  /** A log without output yet. */
  public static MemberLog begin(LogMember of) {
    return MemberLogBuilder.builder()
        .of(of)
        .position(LogPosition.START)
        .sequence(0)
        .bytes(0)
        .stored(0)
        .gaps(0)
        .endedAt(null)
        .removed(null)
        .build();
  }

  /** The log with one more chunk, which replaces the previous one if that is small. */
  public MemberLog with(LogPosition next, LogChunk chunk, long storedBefore) {
    return with()
        .position(next)
        .sequence(chunk.sequence())
        .bytes(bytes + chunk.newBytes())
        .stored(stored + chunk.stored() - storedBefore)
        .build();
  }

  /** Returns the log with one more gap. */
  public MemberLog missing(LogChunk gap) {
    return with().sequence(gap.sequence()).gaps(gaps + 1).build();
  }

  /** The log at a position without output. */
  public MemberLog at(LogPosition next) {
    return withPosition(next);
  }

  /** No more output follows. */
  public MemberLog ended(Instant now) {
    return withEndedAt(now);
  }
}

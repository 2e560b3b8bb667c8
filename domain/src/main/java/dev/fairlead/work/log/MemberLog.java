package dev.fairlead.work.log;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Stored output of a member.
 *
 * @param position end of the read output
 * @param sequence of the last part, 0 before the first
 * @param bytes of the lines, before they are compressed
 * @param stored bytes of the chunks
 * @param gaps how often lines are missing
 * @param endedAt time of the end of the output, null while more may follow
 * @param removed why its chunks were removed, null while they are there
 */
public record MemberLog(
    LogMember of,
    LogPosition position,
    int sequence,
    long bytes,
    long stored,
    int gaps,
    @Nullable Instant endedAt,
    @Nullable Removal removed) {
  /** Reason why the chunks of a log were removed. */
  public enum Removal {
    /** They reached the maximum age of logs. */
    AGE,
    /** The logs of the project exceeded their maximum size. */
    SIZE
  }

  /** A log without output yet. */
  public static MemberLog begin(LogMember of) {
    return new MemberLog(of, LogPosition.START, 0, 0, 0, 0, null, null);
  }

  /** The log with one more chunk, which replaces the previous one if that is small. */
  public MemberLog with(LogPosition next, LogChunk chunk, long storedBefore) {
    return new MemberLog(
        of,
        next,
        chunk.sequence(),
        bytes + chunk.newBytes(),
        stored + chunk.stored() - storedBefore,
        gaps,
        endedAt,
        removed);
  }

  /** With one more gap. */
  public MemberLog missing(LogChunk gap) {
    return new MemberLog(of, position, gap.sequence(), bytes, stored, gaps + 1, endedAt, removed);
  }

  /** The log at a position without output. */
  public MemberLog at(LogPosition next) {
    return new MemberLog(of, next, sequence, bytes, stored, gaps, endedAt, removed);
  }

  /** Its chunks are gone. */
  public MemberLog removed(Removal why) {
    return new MemberLog(of, position, sequence, bytes, 0, gaps, endedAt, why);
  }

  /** No more comes. */
  public MemberLog ended(Instant now) {
    return new MemberLog(of, position, sequence, bytes, stored, gaps, now, removed);
  }
}

package dev.fairlead.work.log;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part of a member's log: lines in one compressed object of the store, or a gap between them.
 *
 * @param sequence from 1. Parts that were replaced leave theirs out
 * @param nonce nonce of its {@link ChunkKey}, 0 for a gap
 * @param from time of its first line
 * @param to latest time of its lines
 * @param newBytes of the lines that no part before it had
 * @param stored bytes of the object, 0 for a gap
 * @param gap missing output and the reason, human-readable, null for lines
 */
@RecordBuilder
public record LogChunk(
    int sequence,
    long nonce,
    Instant from,
    Instant to,
    long lines,
    long newBytes,
    long stored,
    @Nullable String gap) {
  /** Lines are missing here. */
  public static LogChunk gap(int sequence, Instant at, String why) {
    return LogChunkBuilder.builder()
        .sequence(sequence)
        .nonce(0)
        .from(at)
        .to(at)
        .lines(1)
        .newBytes(0)
        .stored(0)
        .gap(why)
        .build();
  }

  /** Location of its bytes. */
  public ChunkKey key(LogMember of) {
    return new ChunkKey(of, sequence, nonce);
  }
}

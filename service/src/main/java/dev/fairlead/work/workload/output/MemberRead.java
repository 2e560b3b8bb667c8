package dev.fairlead.work.workload.output;

import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One read of a member's output: stores the new lines in the log store and prepares the changes of
 * the index. Nothing is visible before the index contains them.
 */
final class MemberRead {
  /** Maximum number of new bytes of one read. */
  static final long MOST = 4 * 1024 * 1024;

  /**
   * Maximum number of bytes of one read, including bytes that were stored before and the rest of
   * truncated lines.
   */
  private static final long MOST_PASSED = 256 * 1024 * 1024;

  /** A chunk smaller than this absorbs the next lines. */
  private static final long SMALL = 32 * 1024;

  private final ChunkStore store;
  private final long memberBytes;
  private final Instant now;
  private final boolean ended;
  private final @Nullable LogChunk last;
  private final List<LogStore.Step> steps = new ArrayList<>();
  private MemberLog log;
  private @Nullable LogChunk written;
  private long bytes;
  private @Nullable BoundedStream from;
  private boolean more;

  MemberRead(
      ChunkStore store, long memberBytes, FollowedMember member, MemberLog log, Instant now) {
    this.store = store;
    this.memberBytes = memberBytes;
    this.now = now;
    this.ended = member.ended();
    this.last = member.last();
    this.log = log;
  }

  /** The store failed a write or a read. */
  static final class StoreFailed extends IOException {
    private static final long serialVersionUID = 1L;

    StoreFailed(IOException cause) {
      super("the log store failed: " + cause.getMessage(), cause);
    }
  }

  /**
   * Stores the new lines.
   *
   * @param output from the second of the log's position on
   * @throws StoreFailed when the store refuses the chunk
   * @throws IOException when the cluster does not return the output
   */
  void take(InputStream output) throws IOException {
    BoundedStream bounded = new BoundedStream(output, MOST_PASSED);
    from = bounded;
    NewLines lines =
        new NewLines(OutputLines.ofCluster(bounded, InstantSource.fixed(now)), log.position());
    ChunkWriter chunk = null;
    LogChunk before = null;
    for (NewLines.NewLine line = lines.next(); line != null; line = lines.next()) {
      boolean unfinished = !line.line().ended() && (!ended || bounded.cut());
      if (unfinished) {
        break;
      }
      if (chunk == null) {
        before = begin(lines, line);
        chunk = new ChunkWriter(bytesOf(before));
      }
      chunk.add(line);
      lines.take(line);
      if (chunk.plain() >= MOST) {
        more = true;
        break;
      }
    }
    if (chunk != null) {
      put(chunk, before, lines);
    } else if (bounded.cut()) {
      lines.giveUpSecond();
      gap("more than " + MOST_PASSED / 1024 / 1024 + " MiB of one second are not stored", now);
      log = log.at(lines.position());
      steps.add(new LogStore.Step(log, null, 0, 0));
    }
    more |= bounded.cut();
    if (full()) {
      gap(
          "further output is not stored: a member's log has at most " + memberBytes + " bytes",
          now);
    }
    end();
  }

  /** The chunk that absorbs the new lines, or null if they need a new chunk. */
  private @Nullable LogChunk begin(NewLines lines, NewLines.NewLine first) {
    Instant missing = lines.missingSince();
    if (missing != null) {
      gap(LogMark.missing(missing, first.at()), first.at());
      return null;
    }
    boolean small =
        last != null
            && last.gap() == null
            && last.stored() <= SMALL
            && last.sequence() == log.sequence();
    return small ? last : null;
  }

  private byte[] bytesOf(@Nullable LogChunk part) throws StoreFailed {
    if (part == null) {
      return new byte[0];
    }
    try (InputStream chunk = store.open(part.key(log.of()))) {
      return chunk.readAllBytes();
    } catch (IOException failed) {
      throw new StoreFailed(failed);
    }
  }

  private void put(ChunkWriter chunk, @Nullable LogChunk before, NewLines lines)
      throws StoreFailed {
    byte[] whole = chunk.end();
    int sequence = log.sequence() + 1;
    long nonce = ThreadLocalRandom.current().nextLong();
    try {
      store.put(new ChunkKey(log.of(), sequence, nonce), whole);
    } catch (IOException failed) {
      throw new StoreFailed(failed);
    }
    LogChunk part = chunk.part(sequence, nonce, before, whole.length, now);
    long storedBefore = before == null ? 0 : before.stored();
    log = log.with(lines.position(), part, storedBefore);
    steps.add(
        new LogStore.Step(
            log, part, before == null ? 0 : before.sequence(), whole.length - storedBefore));
    written = part;
    bytes = chunk.plain();
  }

  /** Returns whether the log has reached its limit. */
  private boolean full() {
    return log.bytes() >= memberBytes;
  }

  /** Ends the log when all output of an ended member is stored. */
  void end() {
    if (ended && (full() || !more)) {
      over();
    }
  }

  /** Ends the log with a reason, because no more output follows. */
  void giveUp(String why) {
    if (!full()) { // otherwise a gap is already at its end
      gap(why, now);
    }
    over();
  }

  private void over() {
    log = log.ended(now);
    steps.add(new LogStore.Step(log, null, 0, 0));
  }

  private void gap(String why, Instant at) {
    LogChunk gap = LogChunk.gap(log.sequence() + 1, at, why);
    log = log.missing(gap);
    steps.add(new LogStore.Step(log, gap, 0, 0));
  }

  /** Changes of the index, in order. */
  List<LogStore.Step> steps() {
    return steps;
  }

  MemberLog log() {
    return log;
  }

  /** Keys of the written chunks. */
  List<ChunkKey> chunks() {
    return steps.stream()
        .flatMap(step -> Stream.ofNullable(step.chunk()))
        .filter(chunk -> chunk.gap() == null)
        .map(chunk -> chunk.key(log.of()))
        .toList();
  }

  /** The written chunk, or null. */
  @Nullable LogChunk written() {
    return written;
  }

  /** New bytes that were stored. */
  long bytes() {
    return bytes;
  }

  /** Bytes that the cluster returned, including bytes that were stored before. */
  long passed() {
    return from == null ? 0 : from.passed();
  }

  /** Returns whether more output can be read immediately. */
  boolean more() {
    return more;
  }
}

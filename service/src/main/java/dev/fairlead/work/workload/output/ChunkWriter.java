package dev.fairlead.work.workload.output;

import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogChunkBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Lines on their way into a chunk: each with its time, compressed. */
public final class ChunkWriter {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final GZIPOutputStream compressed;
  private long lines;
  private long plain;
  private @Nullable Instant from;
  private @Nullable Instant to;

  /**
   * @param before current content of the chunk, as returned by {@link #end}, empty for a new chunk
   */
  public ChunkWriter(byte[] before) {
    bytes.writeBytes(before);
    try {
      compressed = new GZIPOutputStream(bytes); // members of a file may follow each other
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  public void add(NewLines.NewLine line) {
    byte[] time = (line.at() + " ").getBytes(StandardCharsets.US_ASCII);
    byte[] text = line.line().shown();
    try {
      compressed.write(time);
      compressed.write(text);
      compressed.write('\n');
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
    lines++;
    plain += text.length + 1;
    from = from == null ? line.at() : from;
    to = to == null || line.at().isAfter(to) ? line.at() : to;
  }

  /** Bytes of the lines that were added. */
  public long plain() {
    return plain;
  }

  /** The whole chunk. */
  public byte[] end() {
    try {
      compressed.close();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
    return bytes.toByteArray();
  }

  /**
   * Describes the chunk as a part of its log.
   *
   * @param before the part that it replaces, null if none
   * @param nonce nonce of its key
   * @param stored length of {@link #end}
   */
  public LogChunk part(
      int sequence, long nonce, @Nullable LogChunk before, long stored, Instant now) {
    Instant begin = from == null ? now : from;
    Instant end = to == null ? now : to;
    return before == null
        ? LogChunkBuilder.builder()
            .sequence(sequence)
            .nonce(nonce)
            .from(begin)
            .to(end)
            .lines(lines)
            .newBytes(plain)
            .stored(stored)
            .gap(null)
            .build()
        : LogChunkBuilder.builder()
            .sequence(sequence)
            .nonce(nonce)
            .from(before.from())
            .to(end.isAfter(before.to()) ? end : before.to())
            .lines(before.lines() + lines)
            .newBytes(plain)
            .stored(stored)
            .gap(null)
            .build();
  }

  public static OutputLines lines(InputStream chunk) throws IOException {
    return OutputLines.ofChunk(new GZIPInputStream(chunk));
  }
}

package dev.fairlead.log;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of chunks. A chunk is whole or not there, and never changes. Any number of processes may
 * use the same store; for any thread.
 */
public interface ChunkStore {
  /** Whether there is one: without, output is read from clusters alone. */
  boolean keeps();

  /**
   * Stores the chunk so that it outlives a crash.
   *
   * @throws IOException when it is not stored; the message is for people
   */
  void put(ChunkKey key, byte[] bytes) throws IOException;

  /**
   * @throws java.nio.file.NoSuchFileException when there is no such chunk
   */
  InputStream open(ChunkKey key) throws IOException;

  /** Removes the chunk; nothing happens when there is none. */
  void remove(ChunkKey key) throws IOException;

  /**
   * A part of all chunks that have lain there for an hour, to look for those that no row names.
   *
   * @param after path of the last chunk of the part before, null to begin
   * @return at most {@code limit} of them by path; none at the end
   */
  List<ChunkKey> old(@Nullable String after, int limit) throws IOException;

  /**
   * Stores, reads and removes something.
   *
   * @throws IOException when that fails
   */
  void probe() throws IOException;
}

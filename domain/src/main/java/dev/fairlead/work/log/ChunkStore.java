package dev.fairlead.work.log;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of chunks and of archives of code. Chunks are written atomically and never change. Any
 * number of processes may use the same store. For any thread.
 */
public interface ChunkStore {
  /**
   * Batch size of removals: a slow disk removes this many in a second or two. S3 accepts a thousand
   * per request.
   */
  int REMOVED_AT_ONCE = 100;

  /** Returns whether a store is configured. Without a store, output is read only from clusters. */
  boolean keeps();

  /**
   * Stores the chunk durably.
   *
   * @throws IOException when it is not stored. The message is human-readable
   */
  void put(StoreKey key, byte[] bytes) throws IOException;

  /**
   * @throws java.nio.file.NoSuchFileException when there is no such chunk
   */
  InputStream open(StoreKey key) throws IOException;

  /**
   * Removes these chunks. Missing ones are ignored. The claim is read first.
   *
   * @param keys at most {@link #REMOVED_AT_ONCE}
   * @throws ForeignLogStore when the holder of the claim is not {@link StoreClaim.Holder#OURS}.
   *     Removes nothing else
   * @throws IOException if a chunk could not be removed. Others may have been
   */
  void remove(List<? extends StoreKey> keys) throws IOException;

  /**
   * One page of the existing chunks.
   *
   * @param chunks by path. There may be none, also before the end
   * @param next continuation, null at the end
   */
  record Part(List<ChunkKey> chunks, @Nullable String next) {}

  /**
   * A part of the chunks that were written before a time, to find chunks without a row.
   *
   * @param before time by the database's believed clock, not by the clock of this machine
   * @param after {@link Part#next} of the previous read, null to begin
   * @param limit maximum number of examined chunks
   * @throws ForeignLogStore as {@link #remove}
   */
  Part old(Instant before, @Nullable String after, int limit) throws IOException;

  /**
   * The claim of this installation in the store.
   *
   * @throws ForeignLogStore when the store has the claim of another installation or incarnation
   */
  StoreClaim claim() throws IOException;

  /**
   * Replaces the claim. The write is not conditional, so a concurrent write of another process may
   * be lost.
   */
  void claim(StoreClaim next) throws IOException;

  /**
   * Stores, reads and removes a test object.
   *
   * @throws IOException when that fails
   */
  void probe() throws IOException;
}

package dev.fairlead.work.log.memory;

import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.log.StoreKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * In-memory implementation of {@link ChunkStore} with injected failures. All its chunks are old.
 */
public final class MemoryChunkStore implements ChunkStore {
  private @Nullable Instant asked;
  private final ConcurrentNavigableMap<String, byte[]> chunks = new ConcurrentSkipListMap<>();
  private final Set<String> kept = ConcurrentHashMap.newKeySet();
  private volatile StoreClaim claim = new StoreClaim("one", 1, "");
  private volatile @Nullable String failure;
  private volatile Runnable removal = () -> {};

  /** Makes writes fail for this reason, or succeed again with null. */
  public void fails(@Nullable String why) {
    failure = why;
  }

  /** Runs before each removal, to simulate its duration. */
  public void beforeRemoval(Runnable work) {
    removal = work;
  }

  /** Makes the removal of this chunk fail. */
  public void keep(StoreKey key) {
    kept.add(key.path());
  }

  /** Allows the removal of this chunk again. */
  public void release(StoreKey key) {
    kept.remove(key.path());
  }

  public List<String> paths() {
    return List.copyOf(chunks.keySet());
  }

  @Override
  public boolean keeps() {
    return true;
  }

  @Override
  public void put(StoreKey key, byte[] bytes) throws IOException {
    probe();
    chunks.put(key.path(), bytes.clone());
  }

  @Override
  public InputStream open(StoreKey key) throws IOException {
    byte[] chunk = chunks.get(key.path());
    if (chunk == null) {
      throw new NoSuchFileException(key.path());
    }
    return new ByteArrayInputStream(chunk);
  }

  @Override
  public void remove(List<? extends StoreKey> keys) throws IOException {
    removal.run();
    for (StoreKey key : keys) {
      if (kept.contains(key.path())) {
        throw new AccessDeniedException(key.path());
      }
      chunks.remove(key.path());
    }
  }

  /** Age limit of the last query for chunks, null if none. */
  public @Nullable Instant asked() {
    return asked;
  }

  @Override
  public Part old(Instant before, @Nullable String after, int limit) {
    asked = before;
    List<String> found =
        chunks.tailMap(after == null ? "" : after, false).keySet().stream().limit(limit).toList();
    return new Part(
        found.stream().flatMap(path -> ChunkKey.at(path).stream()).toList(),
        found.size() < limit ? null : found.getLast());
  }

  @Override
  public StoreClaim claim() throws IOException {
    probe();
    return claim;
  }

  @Override
  public void claim(StoreClaim next) throws IOException {
    probe();
    claim = next;
  }

  @Override
  public void probe() throws IOException {
    if (failure != null) {
      throw new IOException(failure);
    }
  }
}

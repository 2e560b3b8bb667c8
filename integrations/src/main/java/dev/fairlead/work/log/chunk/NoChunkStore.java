package dev.fairlead.work.log.chunk;

import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.log.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The chunk store of an installation without stored logs. */
final class NoChunkStore implements ChunkStore {
  @Override
  public boolean keeps() {
    return false;
  }

  @Override
  public void put(StoreKey key, byte[] bytes) throws IOException {
    probe();
  }

  @Override
  public InputStream open(StoreKey key) throws IOException {
    throw new NoSuchFileException(key.path());
  }

  @Override
  public void remove(List<? extends StoreKey> keys) {}

  @Override
  public Part old(Instant before, @Nullable String after, int limit) {
    return new Part(List.of(), null);
  }

  @Override
  public StoreClaim claim() throws IOException {
    probe();
    throw new IllegalStateException("no store");
  }

  @Override
  public void claim(StoreClaim next) throws IOException {
    probe();
  }

  @Override
  public void probe() throws IOException {
    throw new IOException(
        "no log store is configured: set fairlead.logs.directory or fairlead.logs.s3.bucket");
  }
}

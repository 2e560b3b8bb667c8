package dev.fairlead.work.log.chunk;

import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.log.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link ChunkStore} in a bucket. An S3 object is either complete or absent. */
final class S3ChunkStore implements ChunkStore {
  private final S3Bucket bucket;
  private final PlaceOwner owner;

  S3ChunkStore(S3Bucket bucket, PlaceOwner owner) {
    this.bucket = bucket;
    this.owner = owner;
  }

  @Override
  public boolean keeps() {
    return true;
  }

  @Override
  public void put(StoreKey key, byte[] bytes) throws IOException {
    String name = key.path();
    owner.check();
    bucket.put(name, bytes);
  }

  @Override
  public InputStream open(StoreKey key) {
    return new Ranges(key.path());
  }

  /** Requests one range at a time, from the read position: skipped bytes are not transferred. */
  private final class Ranges extends InputStream {
    private final String name;
    private byte[] range = new byte[0];
    private int position;
    private long next;
    private boolean ended;

    Ranges(String name) {
      this.name = name;
    }

    @Override
    public int read() throws IOException {
      return fill() ? range[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      if (length == 0) {
        return 0;
      }
      if (!fill()) {
        return -1;
      }
      int count = Math.min(length, range.length - position);
      System.arraycopy(range, position, target, offset, count);
      position += count;
      return count;
    }

    private boolean fill() throws IOException {
      if (position == range.length && !ended) {
        range = bytes();
        position = 0;
        next += range.length;
        ended = range.length < BoundedChunkStore.BLOCK;
      }
      return position < range.length;
    }

    private byte[] bytes() throws IOException {
      try {
        return bucket.read(name, next, BoundedChunkStore.BLOCK);
      } catch (NoSuchFileException none) {
        owner.check(); // a different bucket has no claim
        throw none;
      }
    }

    @Override
    public long skip(long count) {
      if (count <= 0) {
        return 0;
      }
      int here = (int) Math.min(count, range.length - position);
      position += here;
      if (position == range.length && !ended) {
        next += count - here;
        return count;
      }
      return here;
    }
  }

  @Override
  public void remove(List<? extends StoreKey> keys) throws IOException {
    List<String> names = keys.stream().map(StoreKey::path).toList();
    owner.checkOurs();
    bucket.remove(names);
  }

  @Override
  public Part old(Instant before, @Nullable String after, int limit) throws IOException {
    owner.checkOurs();
    S3Bucket.Page page = bucket.list(after, limit);
    List<ChunkKey> found =
        page.objects().stream()
            .filter(object -> object.lastModified().isBefore(before))
            .flatMap(object -> ChunkKey.at(bucket.name(object)).stream())
            .toList();
    return new Part(found, page.next());
  }

  @Override
  public StoreClaim claim() throws IOException {
    return owner.check();
  }

  @Override
  public void claim(StoreClaim next) throws IOException {
    owner.write(next);
  }

  @Override
  public void probe() throws IOException {
    owner.check();
    String name = "probe-" + UUID.randomUUID();
    byte[] bytes = {1};
    bucket.put(name, bytes);
    byte[] read = bucket.read(name, 0, 2);
    bucket.remove(List.of(name));
    if (!Arrays.equals(read, bytes)) {
      throw new IOException("the bucket returned bytes that differ from the stored bytes");
    }
  }
}

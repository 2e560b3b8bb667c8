package dev.fairlead.work.log.chunk;

import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.StoreClaim;
import dev.fairlead.work.log.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a store that may hang, such as an unreachable network file system, on separate threads
 * and with a deadline. File operations pin the carrier of a virtual thread: a few that hang would
 * block every virtual thread of the process. While half of the threads hang, new calls are refused
 * immediately. A call that returns no longer counts.
 */
final class BoundedChunkStore implements ChunkStore {
  private static final int THREADS = 16;

  /** Bytes of one read. */
  static final int BLOCK = 256 * 1024;

  private final ChunkStore store;
  private final Duration deadline;
  private final Set<Call> under = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().daemon().name("log-store-", 0).factory());

  /**
   * @param deadline deadline of one call
   */
  BoundedChunkStore(ChunkStore store, Duration deadline) {
    this.store = store;
    this.deadline = deadline;
  }

  /** A call and its start, with one object for each call. */
  private static final class Call {
    private final long since = System.nanoTime();
  }

  private <T> T call(Callable<T> work) throws IOException {
    if (hanging() >= THREADS / 2) {
      throw new IOException("the log store does not answer");
    }
    Future<T> result =
        threads.submit(() -> {
          Call call = new Call();
          under.add(call);
          try {
            return work.call();
          } finally {
            under.remove(call);
          }
        });
    try {
      return result.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException hangs) {
      result.cancel(false); // only if still queued: an interrupt ends no hanging call
      throw new IOException("the log store did not respond within " + deadline.toSeconds() + " s");
    } catch (InterruptedException ends) {
      result.cancel(false);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } catch (ExecutionException failed) {
      throw cause(failed);
    }
  }

  private long hanging() {
    long now = System.nanoTime();
    return under.stream().filter(call -> now - call.since >= deadline.toNanos()).count();
  }

  private static IOException cause(ExecutionException failed) {
    return switch (failed.getCause()) {
      case IOException io -> io;
      case RuntimeException bug -> throw bug;
      case Error bug -> throw bug;
      case null, default -> new IOException(failed);
    };
  }

  @Override
  public boolean keeps() {
    return store.keeps();
  }

  @Override
  public void put(StoreKey key, byte[] bytes) throws IOException {
    call(() -> {
      store.put(key, bytes);
      return true;
    });
  }

  @Override
  public InputStream open(StoreKey key) throws IOException {
    return new Blocks(key, block(key, 0));
  }

  private byte[] block(StoreKey key, long from) throws IOException {
    return call(() -> {
      try (InputStream chunk = store.open(key)) {
        chunk.skipNBytes(from);
        return chunk.readNBytes(BLOCK);
      }
    });
  }

  /** Opens no file between two blocks, so a slow reader holds none open. */
  private final class Blocks extends InputStream {
    private final StoreKey key;
    private byte[] block;
    private long before;
    private int position;

    Blocks(StoreKey key, byte[] first) {
      this.key = key;
      this.block = first;
    }

    @Override
    public int read() throws IOException {
      return fill() ? block[position++] & 0xff : -1;
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
      int count = Math.min(length, block.length - position);
      System.arraycopy(block, position, target, offset, count);
      position += count;
      return count;
    }

    private boolean fill() throws IOException {
      if (position == BLOCK) {
        block = block(key, before + BLOCK);
        before += BLOCK;
        position = 0;
      }
      return position < block.length;
    }

    @Override
    public int available() {
      return block.length - position;
    }
  }

  @Override
  public void remove(List<? extends StoreKey> keys) throws IOException {
    call(() -> {
      store.remove(keys);
      return true;
    });
  }

  @Override
  public Part old(Instant before, @Nullable String after, int limit) throws IOException {
    return call(() -> store.old(before, after, limit));
  }

  @Override
  public StoreClaim claim() throws IOException {
    return call(store::claim);
  }

  @Override
  public void claim(StoreClaim next) throws IOException {
    call(() -> {
      store.claim(next);
      return true;
    });
  }

  @Override
  public void probe() throws IOException {
    call(() -> {
      store.probe();
      return true;
    });
  }
}

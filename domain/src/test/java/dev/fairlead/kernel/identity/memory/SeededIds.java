package dev.fairlead.kernel.identity.memory;

import dev.fairlead.kernel.identity.IdSource;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** UUIDv7 that count from one: the same seed gives the same ids in the same order. */
public final class SeededIds implements IdSource {
  private static final long VERSION_7 = 0x7000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long RANDOM_BITS = 0x3fff_ffff_ffff_ffffL;
  private static final long MIX = 0x9e37_79b9_7f4a_7c15L;

  private final long seed;
  private final AtomicLong count = new AtomicLong();

  public SeededIds(long seed) {
    this.seed = seed;
  }

  @Override
  public UUID next() {
    long n = count.incrementAndGet();
    return new UUID((n << 16) | VERSION_7, VARIANT | ((seed * MIX) & RANDOM_BITS));
  }
}

package dev.fairlead.kernel.postgres;

import dev.fairlead.kernel.identity.IdSource;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;

/**
 * UUIDv7 (RFC 9562, section 5.7): 48 bits of milliseconds, a 12-bit counter within a millisecond,
 * 62 random bits. Ids of one source increase even if the clock steps back.
 */
final class TimeOrderedIds implements IdSource {
  private static final int COUNTER_BITS = 12;
  private static final long VERSION = 0x7000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;
  private static final long RANDOM_BITS = 0x3fff_ffff_ffff_ffffL;
  private static final long COUNTER = (1L << COUNTER_BITS) - 1;

  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private long last;

  TimeOrderedIds(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public UUID next() {
    long tick = tick();
    long high = ((tick >>> COUNTER_BITS) << 16) | VERSION | (tick & COUNTER);
    return new UUID(high, VARIANT | (random.nextLong() & RANDOM_BITS));
  }

  /** Milliseconds and counter as one increasing number. */
  private synchronized long tick() {
    last = Math.max(last + 1, clock.millis() << COUNTER_BITS);
    return last;
  }
}

package dev.fairlead.kernel.transaction.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that tests set. */
public final class SettableClock implements InstantSource {
  /** Time of a new clock. */
  public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final AtomicReference<Instant> now;

  public SettableClock() {
    this(START);
  }

  public SettableClock(Instant now) {
    this.now = new AtomicReference<>(now);
  }

  @Override
  public Instant instant() {
    return now.get();
  }

  public void advance(Duration by) {
    now.updateAndGet(t -> t.plus(by));
  }

  /** Also backwards: clocks step. */
  public void set(Instant to) {
    now.set(to);
  }
}

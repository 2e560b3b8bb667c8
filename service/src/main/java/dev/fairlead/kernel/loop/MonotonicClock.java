package dev.fairlead.kernel.loop;

/** Time that only moves forward, for leases and back-off inside one process. */
@FunctionalInterface
public interface MonotonicClock {
  /** Nanoseconds since a fixed moment of this process. */
  long nanos();
}

package dev.fairlead.work.workload.kubernetes.call;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates with unknown effect. A free name proves nothing while such a create may still arrive. It
 * counts as resolved when no API server can still be processing it.
 */
public final class InFlight {
  /** The API server limits a request to 60 s (flag {@code --request-timeout}), plus a margin. */
  private static final long LONGEST_NANOS = 65_000_000_000L;

  private final Map<String, Long> openUntil = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  public InFlight(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Records that a create is about to be sent. Returns the time until which an earlier call may
   * still arrive, null if none.
   */
  public @Nullable Long sending(String name) {
    return openUntil.put(name, nanoTime.getAsLong() + LONGEST_NANOS);
  }

  /** Records that the response was lost, which restarts the time. */
  public void unknown(String name) {
    openUntil.put(name, nanoTime.getAsLong() + LONGEST_NANOS);
  }

  /** Records that the result of the last create is known. An earlier call may still arrive. */
  public void resolved(String name, @Nullable Long earlier) {
    if (earlier == null) {
      openUntil.remove(name);
    } else {
      openUntil.put(name, earlier);
    }
  }

  public boolean open(String name) {
    Long until = openUntil.get(name);
    if (until != null && nanoTime.getAsLong() - until >= 0) {
      openUntil.remove(name, until);
      return false;
    }
    return until != null;
  }
}

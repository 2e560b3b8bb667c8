package dev.fairlead.work.workload.kubernetes.call;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates whose effect is not known. A name that reads as free proves nothing while such a create
 * may still arrive; it is taken for resolved once no API server works on it any more.
 */
public final class InFlight {
  /**
   * The API server's own limit of a request is 60 s (its flag {@code --request-timeout}); some is
   * added.
   */
  private static final long LONGEST_NANOS = 65_000_000_000L;

  private final Map<String, Long> openUntil = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  public InFlight(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A create is about to be sent. Returns until when an earlier one may still arrive, null for
   * none.
   */
  public @Nullable Long sending(String name) {
    return openUntil.put(name, nanoTime.getAsLong() + LONGEST_NANOS);
  }

  /** The answer was lost: the time runs from now. */
  public void unknown(String name) {
    openUntil.put(name, nanoTime.getAsLong() + LONGEST_NANOS);
  }

  /** It is known what became of the last create; an earlier one may still arrive. */
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

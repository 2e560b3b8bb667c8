package dev.fairlead.work.workload.kubernetes.call;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches that a connection can lack. If the cluster has no such API, or Fairlead no permission for
 * it, the cluster remains reachable without them.
 */
public final class OptionalWatches {
  /** A starting API server refuses all requests for a few seconds. */
  private static final long STARTING_NANOS = Duration.ofSeconds(15).toNanos();

  /** A refused list is repeated every second. One that is not repeated has succeeded. */
  private static final long OVER_NANOS = Duration.ofSeconds(30).toNanos();

  private final Map<Class<?>, Refusal> refusals = new ConcurrentHashMap<>();
  private final LongSupplier nanoTime;

  private record Refusal(long first, long last, CallFailure why) {
    boolean over(long now) {
      return now - last >= OVER_NANOS;
    }
  }

  public OptionalWatches(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Records an error of the list or the watch of a kind. */
  public void failed(Class<?> kind, Throwable error) {
    CallFailure failure = CallFailure.of(error);
    if (failure.code() == HttpURLConnection.HTTP_FORBIDDEN
        || failure.code() == HttpURLConnection.HTTP_NOT_FOUND) {
      long now = nanoTime.getAsLong();
      refusals.merge(
          kind,
          new Refusal(now, now, failure),
          (before, next) -> before.over(now) ? next : new Refusal(before.first(), now, failure));
    }
  }

  /** Returns whether the cluster has refused the watch for longer than a start takes. */
  public boolean refused(Class<?> kind) {
    Refusal refusal = refusals.get(kind);
    long now = nanoTime.getAsLong();
    return refusal != null && !refusal.over(now) && now - refusal.first() >= STARTING_NANOS;
  }

  /** Returns the error of a refused watch, with the next step, null if none. */
  public @Nullable String trouble() {
    return refusals.entrySet().stream()
        .filter(entry -> refused(entry.getKey()))
        .map(entry -> NextStep.of(entry.getValue().why()))
        .sorted()
        .findFirst()
        .orElse(null);
  }
}

package dev.fairlead.work.workload.kubernetes.front;

import dev.fairlead.front.FrontRequest;
import dev.fairlead.work.workload.kubernetes.call.BoundedLru;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the newest Jobs in the watch, which save the read of a Job before it is adopted. A
 * stale request has no effect: the Job is adopted only in the version of its request. Thread-safe.
 */
public final class WatchedRequests {
  private static final int MOST = 1_000;

  /** Longer requests are read from the cluster again. Measured in characters. */
  private static final int LONGEST = 8_192;

  private final BoundedLru<String, Watched> newest = new BoundedLru<>(MOST);

  private record Watched(String version, FrontRequest request) {}

  /**
   * Stores the request if nothing else prevents the adoption.
   *
   * @param translation translation of the Job
   * @param now the same Job, null if it is not of Fairlead
   */
  public void watched(Supplier<@Nullable FrontRequest> translation, @Nullable ShownJob now) {
    if (now == null) {
      return;
    }
    newest.forget(now.uid());
    boolean open =
        !now.seen().held()
            && !now.seen().deleting()
            && !now.seen().suspended()
            && !now.seen().status().finished();
    FrontRequest request = open ? request(translation) : null;
    if (request != null) {
      Watched _ = newest.put(now.uid(), new Watched(now.seen().version(), request));
    }
  }

  /** Returns the request, null if it must be read: an error is reported by the read. */
  private static @Nullable FrontRequest request(Supplier<@Nullable FrontRequest> translation) {
    try {
      FrontRequest request = translation.get();
      return request instanceof FrontRequest.Document(String json) && json.length() > LONGEST
          ? null
          : request;
    } catch (RuntimeException strange) {
      return null;
    }
  }

  /** Removes and returns the request of the Job in this version, null if it must be read. */
  public @Nullable FrontRequest take(ShownJob now) {
    Watched watched = newest.get(now.uid());
    newest.forget(now.uid());
    return watched != null && watched.version().equals(now.seen().version())
        ? watched.request()
        : null;
  }
}

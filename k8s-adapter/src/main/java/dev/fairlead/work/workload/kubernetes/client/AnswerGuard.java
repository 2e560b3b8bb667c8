package dev.fairlead.work.workload.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the responses of one connection before they are parsed. It limits their length and follows
 * a cluster's request to pause. The guard also counts open watches.
 */
public final class AnswerGuard implements Interceptor {
  static final String NAME = "fairlead-answers";

  /** A page of the largest objects that a job can create. */
  public static final long LONGEST_ANSWER = 64L << 20;

  /**
   * One event of a watch contains one object: at most 1.5 MiB in etcd, up to six times that in
   * JSON.
   */
  public static final long LONGEST_EVENT = 16L << 20;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  private final Consumer<Duration> askedToWait;
  private final Map<AsyncBody, Long> heardAt = new ConcurrentHashMap<>();
  private final Gate gate = new Gate();

  /** By watch. */
  private final Map<String, String> complaints = new ConcurrentHashMap<>();

  private final AtomicLong longest = new AtomicLong();
  private volatile long answeredAt = System.nanoTime();

  /** A response exceeded the maximum length and was not read to its end. */
  public static final class Cut extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public Cut(String message) {
      super(message);
    }
  }

  /**
   * @param askedToWait receives the duration of the requested pause, at most a minute
   */
  public AnswerGuard(Consumer<Duration> askedToWait) {
    this.askedToWait = askedToWait;
  }

  /** Returns the gate of the connection. */
  public Gate gate() {
    return gate;
  }

  /** Returns the number of watches whose answer has begun and not ended. */
  public int openWatches() {
    return heardAt.size();
  }

  /**
   * Returns how long the quietest open watch has received nothing. A working API server sends each
   * watch a bookmark about every minute, even without changes.
   */
  public Duration silence() {
    long now = System.nanoTime();
    return Duration.ofNanos(heardAt.values().stream().mapToLong(at -> now - at).max().orElse(0));
  }

  /** Returns the time since the last successful response. */
  public Duration unheard() {
    return Duration.ofNanos(System.nanoTime() - answeredAt);
  }

  /** Returns the bytes read of the longest response, except watches. */
  public long longest() {
    return longest.get();
  }

  /**
   * Returns the watch that sent an event that was too long, unless it has sent a complete one
   * since, null if none. For other requests, a response that is too long fails the call.
   */
  public @Nullable String complaint() {
    return complaints.values().stream().findFirst().orElse(null);
  }

  @Override
  public void after(
      HttpRequest request,
      HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    if (response.isSuccessful()) {
      answeredAt = System.nanoTime();
    }
    if (response.isSuccessful()
        && watch(request.uri())
        && response.body() instanceof AsyncBody body) {
      heardAt.put(body, System.nanoTime());
      var _ = body.done().whenComplete((end, failure) -> heardAt.remove(body));
    }
    if (response.code() == TOO_MANY_REQUESTS || response.code() == UNAVAILABLE) {
      Duration wait = retryAfter(response.header("Retry-After"));
      if (wait.isPositive()) {
        askedToWait.accept(wait);
      }
    }
  }

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> next, HttpRequest request) {
    boolean watch = watch(request.uri());
    String asked = asked(request.uri());
    long most = watch ? LONGEST_EVENT : LONGEST_ANSWER;
    AtomicLong length = new AtomicLong();
    return (buffers, body) -> {
      boolean exceeds = exceeds(length, buffers, watch, most);
      if (!watch) {
        longest.accumulateAndGet(length.get(), Math::max);
      }
      if (exceeds) {
        String complaint =
            "%s sends more than %d MiB %s, and the rest was not read"
                .formatted(
                    request.uri().getPath(), most >> 20, watch ? "in one event" : "in one answer");
        if (!watch) {
          throw new Cut(complaint);
        }
        complaints.put(asked, complaint);
        throw new IllegalStateException(complaint);
      }
      if (watch && !complaints.isEmpty() && buffers.stream().anyMatch(b -> lastLineEnd(b) >= 0)) {
        complaints.remove(asked);
      }
      long now = System.nanoTime();
      heardAt.computeIfPresent(
          body,
          (watched, before) -> {
            answeredAt = now;
            return now;
          });
      next.consume(buffers, body);
    };
  }

  private static boolean exceeds(
      AtomicLong length, List<ByteBuffer> buffers, boolean watch, long most) {
    for (ByteBuffer buffer : buffers) {
      int end = watch ? lastLineEnd(buffer) : -1;
      if (end < 0) {
        length.addAndGet(buffer.remaining());
      } else {
        length.set(buffer.limit() - end - 1L);
      }
    }
    return length.get() > most;
  }

  private static int lastLineEnd(ByteBuffer buffer) {
    for (int i = buffer.limit() - 1; i >= buffer.position(); i--) {
      if (buffer.get(i) == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static boolean watch(URI uri) {
    return uri.getQuery() != null && uri.getQuery().contains("watch=true");
  }

  /** Returns a key that is equal for each request of one watch. */
  private static String asked(URI uri) {
    return String.valueOf(uri).replaceAll("(resourceVersion|timeoutSeconds)=[^&]*", "");
  }

  /** Parses seconds. API servers do not send dates. */
  private static Duration retryAfter(@Nullable String header) {
    if (header == null || !header.matches("[0-9]{1,9}")) {
      return Duration.ZERO;
    }
    Duration asked = Duration.ofSeconds(Long.parseLong(header));
    return asked.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : asked;
  }
}

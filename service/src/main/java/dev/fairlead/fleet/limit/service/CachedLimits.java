package dev.fairlead.fleet.limit.service;

import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all limits every two seconds while requests arrive, in the background. A request waits for
 * a read only if the cached limits are older than four seconds, for example after a quiet hour. If
 * the read fails, the last limits remain in force. Requests are refused before the first successful
 * read. After a read that fails or is late, no request reads or waits for one second.
 */
final class CachedLimits implements LimitSource {
  private static final Logger LOG = LoggerFactory.getLogger(CachedLimits.class);
  private static final long FRESH_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long LATE_NANOS = Duration.ofSeconds(4).toNanos();
  private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long WARN_NANOS = Duration.ofMinutes(1).toNanos();
  private final Transactions transactions;
  private final ConfigStore documents;
  private final int requestsPerMinute;
  private final LongSupplier nanos;
  private final Executor beside;
  private final Patience patience;
  private @Nullable CompletableFuture<Seen> reading;
  private volatile @Nullable Seen seen;
  private volatile @Nullable Long troubleAt;
  private @Nullable Long warnedAt;

  /**
   * Creates the cache.
   *
   * @param requestsPerMinute default of a project, 0 for no limit
   * @param nanos monotonic time
   * @param beside executor of the background read
   */
  CachedLimits(
      Transactions transactions,
      ConfigStore documents,
      int requestsPerMinute,
      LongSupplier nanos,
      Executor beside,
      Patience patience) {
    this.transactions = transactions;
    this.documents = documents;
    this.requestsPerMinute = requestsPerMinute;
    this.nanos = nanos;
    this.beside = beside;
    this.patience = patience;
  }

  /** Limits how long a request waits for a read. It is called once per wait. */
  interface Patience {
    /**
     * Returns the maximum wait.
     *
     * @param first whether it is the first read, without which the request is refused
     */
    Duration most(boolean first);
  }

  private record Seen(LimitBook book, long atNanos) {}

  @Override
  public LimitBook now() {
    Seen last = seen;
    if (last != null && since(last.atNanos()) < FRESH_NANOS) {
      return last.book();
    }
    Long trouble = troubleAt;
    if (trouble != null && since(trouble) < PAUSE_NANOS) {
      return without(last);
    }
    CompletableFuture<Seen> open = reading();
    if (last != null && since(last.atNanos()) < LATE_NANOS) {
      return last.book();
    }
    try {
      return open.get(patience.most(last == null).toMillis(), TimeUnit.MILLISECONDS).book();
    } catch (TimeoutException late) {
      trouble("they did not arrive in time");
    } catch (ExecutionException failed) {
      LOG.debug("limits could not be read", failed); // the read has logged the failure
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return without(last);
  }

  private static LimitBook without(@Nullable Seen last) {
    if (last == null) {
      throw new Refusal(
          ProblemCode.UNAVAILABLE,
          "The limits of tenants have not been read yet. Retry the request in a few seconds.");
    }
    return last.book();
  }

  private long since(long atNanos) {
    return nanos.getAsLong() - atNanos;
  }

  private CompletableFuture<Seen> reading() {
    CompletableFuture<Seen> next = new CompletableFuture<>();
    synchronized (this) {
      CompletableFuture<Seen> open = reading;
      if (open != null && !open.isDone()) {
        return open;
      }
      reading = next;
    }
    beside.execute(() -> read(next));
    return next;
  }

  /** Reads the limits. Any failure completes the future, so that a later caller reads again. */
  private void read(CompletableFuture<Seen> turn) {
    try {
      long before = nanos.getAsLong();
      List<ConfigDocument<SetLimits>> set =
          transactions.read(() -> documents.all(SetLimits.DOCUMENTS));
      Seen now = new Seen(new LimitBook(set, requestsPerMinute), before);
      seen = now;
      troubleAt = null;
      turn.complete(now);
    } catch (Throwable failed) {
      trouble(failed.toString());
      turn.completeExceptionally(failed);
    }
  }

  private synchronized void trouble(String why) {
    long now = nanos.getAsLong();
    troubleAt = now;
    Long warned = warnedAt;
    if (warned == null || now - warned >= WARN_NANOS) {
      warnedAt = now;
      LOG.warn(
          "limits of tenants cannot be read: {}. {}",
          why,
          seen == null
              ? "Requests are refused until then."
              : "The last known limits remain in effect.");
    }
  }
}

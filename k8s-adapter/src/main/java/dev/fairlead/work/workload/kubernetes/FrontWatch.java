package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.PageSize;
import dev.fairlead.work.workload.kubernetes.call.WatchCache;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Watches the Jobs of a cluster, or objects of another kind, on a separate connection, so that a
 * missing permission does not affect the watches of pods and nodes. It lists in pages and resumes
 * at the last version.
 *
 * @param <T> watched objects
 */
final class FrontWatch<T extends HasMetadata> implements AutoCloseable {
  private final Function<AnswerGuard, KubernetesClient> opener;
  private final KubernetesSettings settings;
  private final ClusterCalls calls;
  private final Function<KubernetesClient, Informable<T>> resources;
  private final PageSize page = new PageSize();
  private @Nullable Session<T> session;
  private @Nullable String trouble;
  private boolean closed;

  /** One connection with its watch. */
  private record Session<T>(
      KubernetesClient client,
      AnswerGuard guard,
      SharedIndexInformer<T> watch,
      AtomicReference<@Nullable Throwable> failed,
      long since) {
    void end() {
      watch.stop();
      client.close();
    }

    boolean watching() {
      return guard.openWatches() > 0;
    }
  }

  /**
   * @param opener opens a connection
   * @param resources all watched objects
   */
  FrontWatch(
      Function<AnswerGuard, KubernetesClient> opener,
      KubernetesSettings settings,
      ClusterCalls calls,
      Function<KubernetesClient, Informable<T>> resources) {
    this.opener = opener;
    this.settings = settings;
    this.calls = calls;
    this.resources = resources;
  }

  /** Opens or closes the watch as requested, and feeds it into the cache. */
  synchronized void follow(boolean on, WatchCache<T, ?> cache) {
    Session<T> now = session;
    if (now != null && (!on || dead(now))) {
      if (now.watch().hasSynced()) {
        page.read(now.guard().longest());
      }
      now.end();
      session = null;
    }
    if (on && session == null && !closed) {
      open(cache);
    }
  }

  private boolean dead(Session<T> now) {
    Duration age = Duration.ofNanos(System.nanoTime() - now.since());
    boolean quiet = now.guard().silence().compareTo(settings.quiet()) > 0;
    boolean unheard =
        !now.watching()
            && now.guard().unheard().compareTo(settings.reopen()) > 0
            && age.compareTo(settings.reopen()) > 0;
    return quiet || unheard || now.guard().complaint() != null || page.tooLarge(now.failed().get());
  }

  private void open(WatchCache<T, ?> cache) {
    AnswerGuard guard = new AnswerGuard(calls::holdBack);
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    try {
      KubernetesClient client = opener.apply(guard);
      SharedIndexInformer<T> watch =
          resources
              .apply(client)
              .withLimit(page.now())
              .runnableInformer(0)
              .itemStore(cache)
              .exceptionHandler((started, error) -> {
                failed.set(error);
                return true;
              });
      session = new Session<>(client, guard, watch, failed, System.nanoTime());
      trouble = null;
      watch.start();
    } catch (CallFailure refused) {
      trouble = refused.getMessage();
    }
  }

  /** Returns whether all objects were listed since the watch was opened. */
  synchronized boolean complete() {
    Session<T> now = session;
    return now != null && now.watch().hasSynced();
  }

  /** Returns why the view of these objects is not current, null if it is current. */
  synchronized @Nullable String trouble() {
    Session<T> now = session;
    if (now == null) {
      return trouble;
    }
    if (now.watching()) {
      now.failed().set(null);
      return null;
    }
    Throwable failed = now.failed().get();
    return failed == null ? null : told(CallFailure.of(failed));
  }

  /** Returns whether the cluster does not let Fairlead read them. */
  synchronized boolean denied() {
    Session<T> now = session;
    Throwable failed = now == null || now.watching() ? null : now.failed().get();
    return failed != null && CallFailure.of(failed).code() == HttpURLConnection.HTTP_FORBIDDEN;
  }

  /** Returns whether the cluster no longer has such objects, or not in this version. */
  synchronized boolean missing() {
    Session<T> now = session;
    Throwable failed = now == null || now.watching() ? null : now.failed().get();
    return failed != null && CallFailure.of(failed).code() == HttpURLConnection.HTTP_NOT_FOUND;
  }

  private static String told(CallFailure failure) {
    return failure.code() == HttpURLConnection.HTTP_FORBIDDEN
        ? failure.getMessage() + "; " + FrontJobs.RIGHTS
        : String.valueOf(failure.getMessage());
  }

  @Override
  public synchronized void close() {
    closed = true;
    Session<T> now = session;
    session = null;
    if (now != null) {
      now.end();
    }
  }
}

package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Watches the Jobs of one cluster on a separate connection, so that a missing right for Jobs does
 * not affect the watches of pods and nodes. It lists in pages and resumes at the last version.
 */
final class FrontWatch implements AutoCloseable {
  private final Function<AnswerGuard, KubernetesClient> opener;
  private final KubernetesSettings settings;
  private final ClusterCalls calls;
  private final PageSize page = new PageSize();
  private @Nullable Session session;
  private @Nullable String trouble;
  private boolean closed;

  /** One connection with its watch. */
  private record Session(
      KubernetesClient client,
      AnswerGuard guard,
      SharedIndexInformer<Job> watch,
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
   */
  FrontWatch(
      Function<AnswerGuard, KubernetesClient> opener,
      KubernetesSettings settings,
      ClusterCalls calls) {
    this.opener = opener;
    this.settings = settings;
    this.calls = calls;
  }

  /** Opens or closes the watch as requested, and feeds it into the mirror. */
  synchronized void follow(boolean on, Mirror<Job, ?> mirror) {
    Session now = session;
    if (now != null && (!on || dead(now))) {
      if (now.watch().hasSynced()) {
        page.read(now.guard().longest());
      }
      now.end();
      session = null;
    }
    if (on && session == null && !closed) {
      open(mirror);
    }
  }

  private boolean dead(Session now) {
    Duration age = Duration.ofNanos(System.nanoTime() - now.since());
    boolean quiet = now.guard().silence().compareTo(settings.quiet()) > 0;
    boolean unheard =
        !now.watching()
            && now.guard().unheard().compareTo(settings.reopen()) > 0
            && age.compareTo(settings.reopen()) > 0;
    return quiet || unheard || now.guard().complaint() != null || page.tooLarge(now.failed().get());
  }

  private void open(Mirror<Job, ?> mirror) {
    AnswerGuard guard = new AnswerGuard(calls::holdBack);
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    try {
      KubernetesClient client = opener.apply(guard);
      SharedIndexInformer<Job> watch =
          client
              .batch()
              .v1()
              .jobs()
              .inAnyNamespace()
              .withLimit(page.now())
              .runnableInformer(0)
              .itemStore(mirror)
              .exceptionHandler((started, error) -> {
                failed.set(error);
                return true;
              });
      session = new Session(client, guard, watch, failed, System.nanoTime());
      trouble = null;
      watch.start();
    } catch (CallFailure refused) {
      trouble = refused.getMessage();
    }
  }

  /** Returns whether all Jobs were listed since the watch was opened. */
  synchronized boolean complete() {
    Session now = session;
    return now != null && now.watch().hasSynced();
  }

  /** Returns why the view of Jobs is not current, null if it is. */
  synchronized @Nullable String trouble() {
    Session now = session;
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

  private static String told(CallFailure failure) {
    return failure.code() == HttpURLConnection.HTTP_FORBIDDEN
        ? failure.getMessage() + "; " + FrontJobs.RIGHTS
        : String.valueOf(failure.getMessage());
  }

  @Override
  public synchronized void close() {
    closed = true;
    Session now = session;
    session = null;
    if (now != null) {
      now.end();
    }
  }
}

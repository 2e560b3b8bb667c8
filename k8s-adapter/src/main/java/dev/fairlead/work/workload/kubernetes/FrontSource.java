package dev.fairlead.work.workload.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.WatchCache;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import dev.fairlead.work.workload.kubernetes.front.FrontForm;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import dev.fairlead.work.workload.kubernetes.front.ShownJobs;
import dev.fairlead.work.workload.kubernetes.front.WatchedRequests;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one form on a front cluster: their watch, and the calls for an object.
 *
 * @param <T> the objects
 */
final class FrontSource<T extends HasMetadata> implements AutoCloseable {
  /** Maximum number of all objects of a form, with or without a queue of Fairlead. */
  private static final int MOST_OBJECTS = 200_000;

  /** Pause after which a cluster that lacks the form is queried again. */
  private static final Duration ASKED_AGAIN = Duration.ofMinutes(1);

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final FrontForm<T> form;
  private final ClusterCalls calls;
  private final Supplier<KubernetesClient> client;
  private final ShownJobs shown;
  private final FrontWatch<T> watch;
  private final WatchCache<T, ShownJob> cache;
  private final WatchedRequests requests = new WatchedRequests();
  private volatile @Nullable Boolean offered;
  private volatile @Nullable String unanswered;
  private long askedAt;

  /**
   * @param opener opens a connection for the watch
   * @param listener receives each change after it was applied
   */
  FrontSource(
      FrontForm<T> form,
      Function<AnswerGuard, KubernetesClient> opener,
      KubernetesSettings settings,
      ClusterCalls calls,
      Supplier<KubernetesClient> client,
      ShownJobs shown,
      WatchCache.Listener<ShownJob> listener) {
    this.form = form;
    this.calls = calls;
    this.client = client;
    this.shown = shown;
    watch = new FrontWatch<>(opener, settings, calls, form::all);
    cache =
        new WatchCache<>(
            MOST_OBJECTS,
            form::blank,
            object -> {
              ShownJob now = form.shown(object);
              requests.watched(() -> form.request(object), now);
              return now;
            },
            (before, now) -> {
              shown.moved(before, now);
              listener.changed(before, now);
            });
  }

  String prefix() {
    return form.prefix();
  }

  /**
   * Begins to watch, or ends. Returns whether it has waited for a call.
   *
   * @param mayAsk whether it may wait for one
   */
  boolean follow(boolean on, boolean mayAsk) {
    boolean asked = false;
    if (Boolean.TRUE.equals(offered)
        && watch.missing()
        && System.nanoTime() - askedAt > ASKED_AGAIN.toNanos()) {
      offered = null; // its custom resource definition was removed
    }
    if (on && mayAsk && !Boolean.TRUE.equals(offered) && due()) {
      asked = true;
      askedAt = System.nanoTime();
      try {
        offered = form.offered(client);
        unanswered = null;
      } catch (CallFailure failure) {
        offered = null;
        unanswered = failure.getMessage();
      }
    }
    watch.follow(on && Boolean.TRUE.equals(offered), cache);
    return asked;
  }

  private boolean due() {
    return offered == null || System.nanoTime() - askedAt > ASKED_AGAIN.toNanos();
  }

  /** Returns whether the cluster answered 404 or 403 for objects of this form. */
  boolean absent() {
    return Boolean.FALSE.equals(offered) || watch.denied();
  }

  boolean complete() {
    return watch.complete();
  }

  @Nullable String trouble() {
    String trouble = watch.trouble();
    return trouble == null ? unanswered : trouble;
  }

  private Resource<T> named(String namespace, String name) {
    return form.named(client.get(), namespace, name.substring(form.prefix().length()));
  }

  FrontAnswer read(String namespace, String name, String uid) {
    ShownJob is = shown.get(uid);
    FrontRequest watched = is == null ? null : requests.take(is);
    if (is != null && watched != null) {
      return new FrontAnswer.Read(is.seen(), watched);
    }
    try {
      T object = calls.read(() -> ByName.find(named(namespace, name)));
      if (object == null || !form.asks(object, uid)) {
        return new FrontAnswer.Gone();
      }
      ShownJob now = form.shown(object);
      if (now == null) {
        return new FrontAnswer.Refused(
            "its finalizers or its status exceed the size limit, so it is left unchanged");
      }
      shown.read(is, now);
      FrontRequest request = form.read(object, client.get());
      return request == null
          ? new FrontAnswer.Refused("its controller has not created the object with its pods")
          : new FrontAnswer.Read(now.seen(), request);
    } catch (CallFailure failure) {
      return answer(failure);
    }
  }

  FrontAnswer patch(SeenJob seen, ObjectNode patch) {
    return patched(seen, () -> named(seen.namespace(), seen.name()).patch(MERGE, patch.toString()));
  }

  FrontAnswer show(SeenJob seen, ObjectNode patch, FrontStatus status) {
    form.show(patch, status, shown.get(seen.uid()));
    return form.patchesStatus()
        ? patched(
            seen,
            () ->
                named(seen.namespace(), seen.name())
                    .subresource("status")
                    .patch(MERGE, patch.toString()))
        : patch(seen, patch);
  }

  private FrontAnswer patched(SeenJob seen, Callable<T> call) {
    try {
      ShownJob now = form.shown(calls.write(call));
      if (now == null) {
        return new FrontAnswer.Changed();
      }
      shown.wrote(seen.version(), now);
      return new FrontAnswer.Done(now.seen());
    } catch (CallFailure failure) {
      return answer(failure);
    }
  }

  private static FrontAnswer answer(CallFailure failure) {
    if (failure.conflict()) {
      return new FrontAnswer.Changed();
    }
    if (failure.notFound()) {
      return new FrontAnswer.Gone();
    }
    String message = String.valueOf(failure.getMessage());
    if (failure.effect() != CallFailure.Effect.REFUSED) {
      return new FrontAnswer.Away(message);
    }
    return new FrontAnswer.Refused(
        failure.code() == HttpURLConnection.HTTP_FORBIDDEN
            ? message + "; " + FrontJobs.RIGHTS
            : message);
  }

  @Override
  public void close() {
    watch.close();
  }
}

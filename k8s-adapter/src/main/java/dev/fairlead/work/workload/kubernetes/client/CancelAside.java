package dev.fairlead.work.workload.kubernetes.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/**
 * Cancels responses on a separate thread to avoid a deadlock. The JDK's client takes the lock of a
 * stream to cancel it, and holds that lock while it notifies that the stream has ended. A watch of
 * the Kubernetes client holds its own lock while it cancels, and takes it when it is notified. If
 * the API server refuses a watch and ends it immediately, as after a restart, the reading and the
 * closing thread of the connection would block each other forever.
 */
final class CancelAside {
  private CancelAside() {}

  /** Returns a handler with a subscriber that cancels without waiting. */
  static <T> BodyHandler<T> of(BodyHandler<T> handler) {
    return (ResponseInfo info) -> new Subscriber<>(handler.apply(info));
  }

  private record Subscriber<T>(BodySubscriber<T> real) implements BodySubscriber<T> {
    @Override
    public void onSubscribe(Subscription subscription) {
      real.onSubscribe(
          new Subscription() {
            @Override
            public void request(long n) {
              subscription.request(n);
            }

            @Override
            public void cancel() {
              Thread _ = Thread.ofVirtual().name("answer-cancel").start(subscription::cancel);
            }
          });
    }

    @Override
    public CompletionStage<T> getBody() {
      return real.getBody();
    }

    @Override
    public void onNext(List<ByteBuffer> item) {
      real.onNext(item);
    }

    @Override
    public void onError(Throwable failure) {
      real.onError(failure);
    }

    @Override
    public void onComplete() {
      real.onComplete();
    }
  }
}

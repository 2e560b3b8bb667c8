package dev.fairlead.work.workload.kubernetes.client;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;

/**
 * Ends answers on a thread of its own. The JDK's client takes the lock of a stream to cancel it,
 * and holds that lock while it tells that the stream has ended; a watch of the Kubernetes client
 * holds its own lock while it cancels, and takes it when it is told. A watch that the API server
 * refuses and ends at once, as after a restart, would stop the thread that reads the connection,
 * and the one that closes it, for ever.
 */
final class CancelAside {
  private CancelAside() {}

  /** The same handler, whose subscriber cancels without waiting. */
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

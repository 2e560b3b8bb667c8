package dev.fairlead.work.workload.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient.Version;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CancelAsideTest {
  /**
   * Like the JDK's client while it notifies that a stream has ended. Fails without a separate
   * thread: the cancel would deadlock.
   */
  @Test
  @Timeout(30)
  void cancelDoesNotWaitForTheReadingThread() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    AtomicReference<Flow.Subscription> watch = new AtomicReference<>();
    subscriber(watch)
        .onSubscribe(
            new Flow.Subscription() {
              @Override
              public void request(long n) {}

              @Override
              public void cancel() {
                await(told);
                cancelled.countDown();
              }
            });

    watch.get().cancel();
    told.countDown();

    assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static BodySubscriber<Void> subscriber(AtomicReference<Flow.Subscription> watch) {
    return CancelAside.of(
            BodyHandlers.fromSubscriber(
                new Flow.Subscriber<List<ByteBuffer>>() {
                  @Override
                  public void onSubscribe(Flow.Subscription subscription) {
                    watch.set(subscription);
                  }

                  @Override
                  public void onNext(List<ByteBuffer> item) {}

                  @Override
                  public void onError(Throwable failure) {}

                  @Override
                  public void onComplete() {}
                }))
        .apply(new Info());
  }

  private record Info() implements ResponseInfo {
    @Override
    public int statusCode() {
      return 200;
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(Map.of(), (name, value) -> true);
    }

    @Override
    public Version version() {
      return Version.HTTP_2;
    }
  }
}

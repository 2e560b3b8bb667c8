package dev.fairlead.work.job.service.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests that arrive while others of their group are executed. */
class RequestCoalescerTest {
  private static final long BOUND_SECONDS = 60;
  private final List<List<Integer>> carriedOut = new ArrayList<>();
  private final CountDownLatch firstRuns = new CountDownLatch(1);
  private final CountDownLatch firstMayEnd = new CountDownLatch(1);
  private final RequestCoalescer<String, Integer, String> gathering =
      new RequestCoalescer<>(this::work);

  private List<String> work(List<Integer> items) {
    synchronized (carriedOut) {
      carriedOut.add(items);
    }
    if (items.contains(0)) {
      firstRuns.countDown();
      await(firstMayEnd);
    }
    if (items.contains(-1)) {
      throw new IllegalStateException("minus one");
    }
    return items.stream().map(item -> "made " + item).toList();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException stopped) {
      throw new IllegalStateException(stopped);
    }
  }

  private List<Future<String>> whileTheFirstRuns(ExecutorService threads, List<Integer> items)
      throws InterruptedException {
    List<Future<String>> calls = new ArrayList<>();
    calls.add(threads.submit(() -> gathering.call("a", 0)));
    await(firstRuns);
    for (int item : items) {
      calls.add(threads.submit(() -> gathering.call("a", item)));
      while (gathering.waiting("a") < calls.size() - 1) {
        Thread.onSpinWait();
      }
    }
    return calls;
  }

  @Test
  void singleCallIsExecutedImmediately() {
    assertThat(gathering.call("a", 1)).isEqualTo("made 1");
    assertThat(gathering.call("a", 2)).isEqualTo("made 2");
    assertThat(carriedOut).containsExactly(List.of(1), List.of(2));
  }

  /** Fails when each waiting call runs separately. */
  @Test
  void waitingCallsAreExecutedTogetherAndEachGetsItsResult() throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<String>> calls = whileTheFirstRuns(threads, List.of(1, 2, 3));
      firstMayEnd.countDown();
      for (int item = 0; item <= 3; item++) {
        assertThat(calls.get(item).get(BOUND_SECONDS, TimeUnit.SECONDS)).isEqualTo("made " + item);
      }
    }
    assertThat(carriedOut).containsExactly(List.of(0), List.of(1, 2, 3));
    assertThat(gathering.waiting("a")).isZero();
  }

  @Test
  void otherGroupsDoNotWait() throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<String>> calls = whileTheFirstRuns(threads, List.of());
      assertThat(gathering.call("b", 7)).isEqualTo("made 7");
      firstMayEnd.countDown();
      assertThat(calls.getFirst().get(BOUND_SECONDS, TimeUnit.SECONDS)).isEqualTo("made 0");
    }
  }

  /** Fails when a failure leaves its group closed, or callers without a result. */
  @Test
  void failureAppliesToAllCallsOfABatchAndTheNextBegins() throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<String>> calls = whileTheFirstRuns(threads, List.of(-1, 2));
      firstMayEnd.countDown();
      for (Future<String> failed : calls.subList(1, 3)) {
        assertThatThrownBy(() -> failed.get(BOUND_SECONDS, TimeUnit.SECONDS))
            .rootCause()
            .hasMessage("minus one")
            .isNotInstanceOf(CompletionException.class);
      }
    }
    assertThat(gathering.call("a", 4)).isEqualTo("made 4");
  }
}

package dev.fairlead.work.job.service.submit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Runs concurrent calls together (group commit). A call without another call of its group starts
 * immediately. Calls that arrive during it wait for its end and then run as one batch of at most
 * {@value #MOST}, on the thread of the first call. There is no fixed delay, so a single call costs
 * nothing extra.
 *
 * <p>Thread-safe. The state of a group is removed with its last call.
 *
 * @param <K> a group, by value
 */
final class RequestCoalescer<K, T, R> {
  static final int MOST = 64;
  private final Function<List<T>, List<R>> work;
  private final Map<K, ArrayDeque<Waiting<T, R>>> groups = new HashMap<>();

  /**
   * @param work returns one result for each item, in order
   */
  RequestCoalescer(Function<List<T>, List<R>> work) {
    this.work = work;
  }

  /** A waiting call: the first leads the next run, the others wait for their result. */
  private record Waiting<T, R>(T item, CompletableFuture<Turn<T, R>> turn) {}

  private sealed interface Turn<T, R> {
    record Lead<T, R>(List<Waiting<T, R>> calls) implements Turn<T, R> {}

    record Done<T, R>(R result) implements Turn<T, R> {}
  }

  /**
   * Returns the result of the item.
   *
   * @throws RuntimeException of the work, for each of its calls
   */
  R call(K group, T item) {
    Waiting<T, R> mine = new Waiting<>(item, new CompletableFuture<>());
    if (begins(group, mine)) {
      return led(group, List.of(mine));
    }
    return switch (turn(mine)) {
      case Turn.Lead<T, R> lead -> led(group, lead.calls());
      case Turn.Done<T, R> done -> done.result();
    };
  }

  /** Rethrows the failure of the run unchanged. */
  private static <T, R> Turn<T, R> turn(Waiting<T, R> mine) {
    try {
      return mine.turn().join();
    } catch (CompletionException ofAll) {
      if (ofAll.getCause() instanceof RuntimeException failed) {
        throw failed;
      }
      throw ofAll;
    }
  }

  /** Number of waiting calls of the group. */
  int waiting(K group) {
    synchronized (groups) {
      ArrayDeque<Waiting<T, R>> waiting = groups.get(group);
      return waiting == null ? 0 : waiting.size();
    }
  }

  private boolean begins(K group, Waiting<T, R> mine) {
    synchronized (groups) {
      ArrayDeque<Waiting<T, R>> waiting = groups.get(group);
      if (waiting == null) {
        groups.put(group, new ArrayDeque<>());
        return true;
      }
      waiting.add(mine);
      return false;
    }
  }

  /** Runs the calls and returns the result of the first. */
  private R led(K group, List<Waiting<T, R>> calls) {
    List<Waiting<T, R>> others = calls.subList(1, calls.size());
    try {
      List<R> results = work.apply(calls.stream().map(Waiting::item).toList());
      for (int i = 1; i < calls.size(); i++) {
        calls.get(i).turn().complete(new Turn.Done<>(results.get(i)));
      }
      return results.getFirst();
    } catch (RuntimeException | Error failed) {
      others.forEach(other -> other.turn().completeExceptionally(failed));
      throw failed;
    } finally {
      handOver(group);
    }
  }

  private void handOver(K group) {
    List<Waiting<T, R>> next = new ArrayList<>();
    synchronized (groups) {
      ArrayDeque<Waiting<T, R>> waiting = groups.get(group);
      while (waiting != null && next.size() < MOST && !waiting.isEmpty()) {
        next.add(waiting.remove());
      }
      if (next.isEmpty()) {
        groups.remove(group);
        return;
      }
    }
    next.getFirst().turn().complete(new Turn.Lead<>(next));
  }
}

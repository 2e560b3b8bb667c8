package dev.fairlead.work.job.service;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Carries out together what arrives together. A call that meets no other of its group begins at
 * once; those that arrive meanwhile wait for it to end, and then go in one, at most {@value #MOST},
 * on the thread of the first of them. There is no fixed wait: alone, a call costs nothing more.
 *
 * <p>For all threads. What is known of a group goes with its last call.
 *
 * @param <K> a group, by value
 */
final class Gathering<K, T, R> {
  static final int MOST = 64;
  private final Function<List<T>, List<R>> work;
  private final Map<K, ArrayDeque<Waiting<T, R>>> groups = new HashMap<>();

  /**
   * @param work gives one result for each item, in order
   */
  Gathering(Function<List<T>, List<R>> work) {
    this.work = work;
  }

  /** A call that waits: for the lead of these, itself the first, or for its result. */
  private record Waiting<T, R>(T item, CompletableFuture<Turn<T, R>> turn) {}

  private sealed interface Turn<T, R> {
    record Lead<T, R>(List<Waiting<T, R>> calls) implements Turn<T, R> {}

    record Done<T, R>(R result) implements Turn<T, R> {}
  }

  /**
   * The result of the item.
   *
   * @throws RuntimeException what the work threw for all of them
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

  /** The failure of all is thrown as it was. */
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

  /** Calls of the group that wait now. */
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

  /** The result of the first. */
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

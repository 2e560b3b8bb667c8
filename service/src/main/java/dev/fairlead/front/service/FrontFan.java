package dev.fairlead.front.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;

/** Does the same for several Jobs of a front cluster, some of them in parallel. */
final class FrontFan {
  /** The cluster is away when it did not answer for so many Jobs in a row. */
  private static final int AWAY = 3;

  private final Executor threads;

  FrontFan(Executor threads) {
    this.threads = threads;
  }

  /**
   * Results in the order of the items. They are fewer than the items when the cluster is away: the
   * last items were left out then.
   *
   * @param parallel so many run at a time
   * @param away whether the cluster did not answer
   * @throws RuntimeException of the work, after the work that ran in parallel ended
   */
  <T, R> List<R> each(int parallel, List<T> items, Function<T, R> work, Predicate<R> away) {
    List<R> results = new ArrayList<>();
    int silent = 0;
    for (int from = 0; from < items.size() && silent < AWAY; from += parallel) {
      List<CompletableFuture<R>> running =
          items.subList(from, Math.min(items.size(), from + parallel)).stream()
              .map(item -> CompletableFuture.supplyAsync(() -> work.apply(item), threads))
              .toList();
      for (R result : ended(running)) {
        results.add(result);
        silent = away.test(result) ? silent + 1 : 0;
      }
    }
    return results;
  }

  private static <R> List<R> ended(List<CompletableFuture<R>> running) {
    try {
      CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new)).join();
      return running.stream().map(CompletableFuture::join).toList();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (failed.getCause() instanceof Error cause) {
        throw cause;
      }
      throw failed;
    }
  }
}

package dev.fairlead.front.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;

/** Runs the same work for several Jobs of a front cluster, partly in parallel. */
final class FrontFan {
  /** Number of unanswered Jobs in a row after which the cluster counts as away. */
  private static final int AWAY = 3;

  private final Executor threads;

  FrontFan(Executor threads) {
    this.threads = threads;
  }

  /**
   * Returns results in the order of the items. If the cluster does not answer, the last items are
   * skipped and have no result.
   *
   * @param parallel number of parallel calls
   * @param away whether the cluster did not answer
   * @throws RuntimeException of the work, after the parallel work has ended
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

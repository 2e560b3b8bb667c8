package dev.fairlead.work.job.postgres.read;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Values by key, bounded by their weights. A value is dropped if it was not requested while others
 * of the whole weight arrived.
 */
final class Recent<K, V> {
  /** Recent values, and the values before them. */
  private record Halves<K, V>(
      ConcurrentHashMap<K, V> young, ConcurrentHashMap<K, V> old, AtomicLong weight) {
    static <K, V> Halves<K, V> after(ConcurrentHashMap<K, V> old) {
      return new Halves<>(new ConcurrentHashMap<>(), old, new AtomicLong());
    }
  }

  private final long most;
  private volatile Halves<K, V> halves = Halves.after(new ConcurrentHashMap<>());

  /**
   * @param most sum of the weights
   */
  Recent(long most) {
    this.most = most;
  }

  /** A value of the older half has to be put again to remain. */
  @Nullable V get(K key) {
    Halves<K, V> now = halves;
    V young = now.young.get(key);
    return young == null ? now.old.get(key) : young;
  }

  /**
   * Replaces the value of the key, and counts both values. If two threads fill the young half
   * concurrently, each may begin the next: one value is lost.
   */
  void put(K key, V value, long weight) {
    Halves<K, V> now = halves;
    now.young.put(key, value);
    if (now.weight.addAndGet(weight) > most / 2) {
      halves = Halves.after(now.young);
    }
  }
}

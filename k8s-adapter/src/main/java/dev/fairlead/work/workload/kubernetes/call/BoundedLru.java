package dev.fairlead.work.workload.kubernetes.call;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** A map that retains a maximum number of newest keys. Thread-safe. */
public final class BoundedLru<K, V> {
  private final Map<K, V> entries;

  public BoundedLru(int most) {
    entries =
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        };
  }

  /** Returns the previous value, null if none. */
  public synchronized @Nullable V put(K key, V value) {
    return entries.put(key, value);
  }

  public synchronized @Nullable V get(K key) {
    return entries.get(key);
  }

  public synchronized V merge(K key, V value, BinaryOperator<V> both) {
    V before = entries.get(key);
    V now = before == null ? value : both.apply(before, value);
    entries.put(key, now);
    return now;
  }

  public synchronized void forget(K key) {
    entries.remove(key);
  }
}

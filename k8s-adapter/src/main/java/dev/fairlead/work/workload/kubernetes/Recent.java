package dev.fairlead.work.workload.kubernetes;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/** Remembers something of the newest so many keys. Safe for threads. */
final class Recent<K, V> {
  private final Map<K, V> entries;

  Recent(int most) {
    entries =
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > most;
          }
        };
  }

  /** Returns what was remembered before, null for nothing. */
  synchronized @Nullable V put(K key, V value) {
    return entries.put(key, value);
  }

  synchronized @Nullable V get(K key) {
    return entries.get(key);
  }

  /** Returns what is remembered now: the value, or both together. */
  synchronized V merge(K key, V value, BinaryOperator<V> both) {
    V before = entries.get(key);
    V now = before == null ? value : both.apply(before, value);
    entries.put(key, now);
    return now;
  }

  synchronized void forget(K key) {
    entries.remove(key);
  }
}

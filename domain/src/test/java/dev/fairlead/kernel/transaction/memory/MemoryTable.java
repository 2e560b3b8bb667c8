package dev.fairlead.kernel.transaction.memory;

import java.util.Collection;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Rows by key, in key order. Used only inside a transaction. Values are immutable. */
public final class MemoryTable<K extends Comparable<? super K>, V> {
  private final MemoryDatabase database;
  private final Runnable written;
  private final NavigableMap<K, V> rows = new TreeMap<>();

  MemoryTable(MemoryDatabase database, Runnable written) {
    this.database = database;
    this.written = written;
  }

  public Optional<V> find(K key) {
    database.touch();
    return Optional.ofNullable(rows.get(key));
  }

  public boolean has(K key) {
    database.touch();
    return rows.containsKey(key);
  }

  /** All rows by key, valid until the next write. */
  public Collection<V> all() {
    return map().values();
  }

  /** Unmodifiable view by key, valid until the next write. */
  public NavigableMap<K, V> map() {
    database.touch();
    return Collections.unmodifiableNavigableMap(rows);
  }

  /** Inserts or replaces. */
  public void put(K key, V value) {
    database.touch();
    V before = rows.get(key);
    database.wrote(() -> restore(key, Optional.ofNullable(before)));
    written.run();
    rows.put(key, value);
  }

  public void remove(K key) {
    database.touch();
    V before = rows.get(key);
    if (before != null) {
      database.wrote(() -> rows.put(key, before));
      written.run();
      rows.remove(key);
    }
  }

  /** The rows of the other table, whose types are the same. */
  @SuppressWarnings("unchecked")
  void restore(MemoryTable<?, ?> other) {
    rows.clear();
    rows.putAll(((MemoryTable<K, V>) other).rows);
  }

  private void restore(K key, Optional<V> before) {
    before.ifPresentOrElse(value -> rows.put(key, value), () -> rows.remove(key));
  }
}

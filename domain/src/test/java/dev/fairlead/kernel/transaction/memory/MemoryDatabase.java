package dev.fairlead.kernel.transaction.memory;

import dev.fairlead.work.event.WakeUps.Topic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shared state of all twins of one installation. Transactions run one after the other under one
 * lock, which is taken at the first access to a table. Rows are immutable. Each write records its
 * undo, and a transaction that throws is undone backwards. A nested call joins the open
 * transaction. If it throws, the outer transaction can no longer commit, as in the real database.
 */
public final class MemoryDatabase {
  private final ReentrantLock lock = new ReentrantLock();
  private final ThreadLocal<@Nullable Work> open = new ThreadLocal<>();
  private final List<Consumer<Topic>> listeners = new CopyOnWriteArrayList<>();
  private final ThreadLocal<@Nullable Deque<Topic>> delivering = new ThreadLocal<>();
  private final List<MemoryTable<?, ?>> tables = new ArrayList<>();
  private long transactions;
  private long places;

  /** An open transaction. */
  private static final class Work {
    private final boolean readOnly;
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private final Set<Topic> changed = EnumSet.noneOf(Topic.class);
    private final List<Runnable> atEnd = new ArrayList<>();
    private boolean locked;
    private boolean doomed;
    private long id;

    private Work(boolean readOnly) {
      this.readOnly = readOnly;
    }
  }

  /** An empty table, ordered by key. */
  public <K extends Comparable<? super K>, V> MemoryTable<K, V> table() {
    return created(new MemoryTable<>(this, () -> {}));
  }

  /** Like {@link #table}, for rows that close places. */
  public <K extends Comparable<? super K>, V> MemoryTable<K, V> tableOfPlaces() {
    return created(new MemoryTable<>(this, () -> places++));
  }

  private <T extends MemoryTable<?, ?>> T created(T table) {
    tables.add(table);
    return table;
  }

  /**
   * Replaces all rows by the rows of a database with the same tables, created in the same order.
   */
  public void restore(MemoryDatabase backup) {
    for (int i = 0; i < tables.size(); i++) {
      tables.get(i).restore(backup.tables.get(i));
    }
    transactions = backup.transactions;
    places = backup.places;
  }

  /** Number of writes of rows that close places, including those that were undone. */
  public long places() {
    touch();
    return places;
  }

  /** Runs the work in the open transaction, or in its own. */
  public <T> T call(Supplier<T> work) {
    return run(false, work);
  }

  /** Like {@link #call}, but refuses writes in its own transaction. */
  public <T> T read(Supplier<T> work) {
    return run(true, work);
  }

  /** Like {@link #call}. */
  public void run(Runnable work) {
    call(() -> {
      work.run();
      return true;
    });
  }

  /** Returns whether this thread has a transaction open. */
  public boolean inTransaction() {
    return open.get() != null;
  }

  /** Id of the open transaction. Ids rise in commit order. */
  public long transaction() {
    return touched().id;
  }

  /** Wakes the listeners of the topic after commit. */
  public void changed(Topic topic) {
    current().changed.add(topic);
  }

  /** Runs when the open transaction has ended, either way. */
  public void atEnd(Runnable work) {
    current().atEnd.add(work);
  }

  /** Receives each topic that a commit changed, on the committing thread. */
  public void listen(Consumer<Topic> listener) {
    listeners.add(listener);
  }

  void touch() {
    touched();
  }

  void wrote(Runnable undo) {
    Work work = touched();
    if (work.readOnly) {
      throw new IllegalStateException("a write in a read-only transaction");
    }
    work.undo.push(undo);
  }

  private Work touched() {
    Work work = current();
    if (!work.locked) {
      lock.lock();
      work.locked = true;
      work.id = ++transactions;
    }
    return work;
  }

  private Work current() {
    Work work = open.get();
    if (work == null) {
      throw new IllegalStateException("no transaction is open");
    }
    return work;
  }

  private <T> T run(boolean readOnly, Supplier<T> work) {
    Work outer = open.get();
    return outer == null ? outermost(new Work(readOnly), work) : nested(outer, work);
  }

  private static <T> T nested(Work outer, Supplier<T> work) {
    boolean done = false;
    try {
      T result = work.get();
      done = true;
      return result;
    } finally {
      outer.doomed |= !done;
    }
  }

  private <T> T outermost(Work mine, Supplier<T> work) {
    boolean committed = false;
    T result;
    open.set(mine);
    try {
      result = work.get();
      if (mine.doomed) {
        throw new IllegalStateException("work inside this transaction failed: it cannot commit");
      }
      committed = true;
    } finally {
      end(mine, committed);
    }
    deliver(mine.changed);
    return result;
  }

  private void end(Work mine, boolean committed) {
    if (!committed) {
      mine.undo.forEach(Runnable::run);
    }
    open.remove();
    mine.atEnd.forEach(Runnable::run);
    if (mine.locked) {
      lock.unlock();
    }
  }

  /** A listener may commit again. Its topics are delivered after the current ones. */
  private void deliver(Set<Topic> topics) {
    Deque<Topic> waiting = delivering.get();
    if (waiting != null) {
      waiting.addAll(topics);
      return;
    }
    Deque<Topic> mine = new ArrayDeque<>(topics);
    delivering.set(mine);
    try {
      while (!mine.isEmpty()) {
        Topic topic = mine.remove();
        listeners.forEach(listener -> listener.accept(topic));
      }
    } finally {
      delivering.remove();
    }
  }
}

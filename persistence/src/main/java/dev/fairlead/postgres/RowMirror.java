package dev.fairlead.postgres;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Keeps rows in memory and reads again only those that {@link ChangeNotes} name. What it gives is
 * what the open view of the database holds. Once a minute it compares all versions with the
 * database; when one differs, a note was lost: it says so in the log, counts it and reads all rows.
 *
 * <p>Views must come in their order: the owner asks for one view after another, under a lock that
 * it takes before the view begins.
 */
public final class RowMirror<V> {
  private static final Logger LOG = LoggerFactory.getLogger(RowMirror.class);
  private static final long COMPARE_NANOS = Duration.ofMinutes(1).toNanos();

  private final ChangeNotes notes;
  private final ChangeNotes.Kind kind;
  private final Rows<V> source;
  private final LongSupplier nanos;
  private final SortedMap<UUID, V> rows = new TreeMap<>();
  private List<V> list = List.of();
  private ChangeNotes.@Nullable Position position;
  private long comparedAtNanos;
  private final AtomicLong lostNotes = new AtomicLong();

  /**
   * @param nanos monotonic time
   */
  public RowMirror(ChangeNotes notes, ChangeNotes.Kind kind, Rows<V> source, LongSupplier nanos) {
    this.notes = notes;
    this.kind = kind;
    this.source = source;
    this.nanos = nanos;
  }

  /** Where the rows come from; rows that are not to be mirrored are left out of each answer. */
  public interface Rows<V> {
    /** Versions of all rows, by id. */
    SortedMap<UUID, Long> versions();

    /** The rows of these ids that are there; {@code known} are those of an earlier view. */
    List<V> read(Collection<UUID> ids, SortedMap<UUID, V> known);

    UUID id(V row);

    long version(V row);
  }

  /**
   * All rows of the open view, by id. The same list as before when no row changed. Outside of a
   * read-only transaction, whose view may change or be undone, nothing is kept.
   */
  public List<V> rows() {
    if (!TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
      return List.copyOf(source.read(source.versions().keySet(), rows));
    }
    ChangeNotes.Delta delta = notes.since(position, kind);
    // A view that fails half-way leaves no position, so that the next one reads all versions.
    position = null;
    if (!delta.complete()) {
      rows.clear();
      list = List.of();
      compare();
    } else if (nanos.getAsLong() - comparedAtNanos > COMPARE_NANOS) {
      fold(delta.ids());
      lost(compare());
    } else {
      fold(delta.ids());
    }
    position = delta.position();
    return list;
  }

  /** Rows that a comparison found out of date though a note should have named them. */
  public long lostNotes() {
    return lostNotes.get();
  }

  private void fold(Set<UUID> ids) {
    if (ids.isEmpty()) {
      return;
    }
    List<V> read = source.read(ids, rows);
    boolean changed = rows.keySet().removeAll(ids) || !read.isEmpty();
    read.forEach(row -> rows.put(source.id(row), row));
    if (changed) {
      list = List.copyOf(rows.values());
    }
  }

  /** Reads the rows whose version is another; how many there were. */
  private int compare() {
    SortedMap<UUID, Long> versions = source.versions();
    Set<UUID> differ = new TreeSet<>();
    versions.forEach((id, version) -> {
      V row = rows.get(id);
      if (row == null || source.version(row) != version) {
        differ.add(id);
      }
    });
    rows.keySet().stream().filter(id -> !versions.containsKey(id)).forEach(differ::add);
    fold(differ);
    comparedAtNanos = nanos.getAsLong();
    return differ.size();
  }

  private void lost(int differing) {
    if (differing > 0) {
      lostNotes.addAndGet(differing);
      LOG.warn(
          "{} of {} {} rows in memory were out of date: a change left no note; they were read again",
          differing,
          list.size(),
          kind);
    }
  }
}

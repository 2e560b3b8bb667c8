package dev.fairlead.kernel.postgres;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Caches rows in memory and reads again only rows that {@link ChangeNotes} name. Its result equals
 * the open view of the database. About once a minute it compares all versions with the database,
 * one page in each view, so that no view of many rows takes longer than the others. A difference
 * means a lost note: the cache logs and counts it, and reads the row again.
 *
 * <p>Views must come in order: the owner requests one view after another, under a lock that it
 * takes before the view begins.
 */
public final class RowCache<V> {
  private static final Logger LOG = LoggerFactory.getLogger(RowCache.class);
  private static final double COMPARE_NANOS = Duration.ofMinutes(1).toNanos();

  /** Rows compared together. */
  private static final int PAGE = 2_048;

  private static final UUID BEFORE_ALL = new UUID(0, 0);

  /** Orders ids as the database does, by unsigned bytes. */
  private static final Comparator<UUID> BY_ID =
      Comparator.comparing(UUID::getMostSignificantBits, Long::compareUnsigned)
          .thenComparing(UUID::getLeastSignificantBits, Long::compareUnsigned);

  private final ChangeNotes notes;
  private final ChangeNotes.Kind kind;
  private final Rows<V> source;
  private final LongSupplier nanos;
  private final NavigableMap<UUID, V> rows = new TreeMap<>(BY_ID);
  private List<V> list = List.of();
  private ChangeNotes.@Nullable Position position;
  private UUID comparedTo = BEFORE_ALL;
  private long comparedAtNanos;
  private final AtomicLong lostNotes = new AtomicLong();

  /**
   * @param nanos monotonic time
   */
  public RowCache(ChangeNotes notes, ChangeNotes.Kind kind, Rows<V> source, LongSupplier nanos) {
    this.notes = notes;
    this.kind = kind;
    this.source = source;
    this.nanos = nanos;
  }

  /** Source of the rows. Rows that are not cached are omitted from each result. */
  public interface Rows<V> {
    /** Versions of the first rows by id after this one, within the limit. */
    List<Version> versions(UUID after, int most);

    /** The existing rows with these ids. {@code known} contains rows of an earlier view. */
    List<V> read(Collection<UUID> ids, SortedMap<UUID, V> known);

    UUID id(V row);

    long version(V row);
  }

  public record Version(UUID id, long version) {}

  /**
   * All rows of the open view, by id. The previous list if no row changed. Nothing is cached
   * outside a read-only transaction, because its view may change or be rolled back.
   */
  public List<V> rows() {
    if (!TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
      return List.copyOf(source.read(ids(source.versions(BEFORE_ALL, Integer.MAX_VALUE)), rows));
    }
    ChangeNotes.Delta delta = notes.since(position, kind);
    position = null; // a failed view leaves no position, so the next one reads all versions
    if (!delta.complete()) {
      rows.clear();
      list = List.of();
      comparedTo = BEFORE_ALL;
      compare(Integer.MAX_VALUE);
    } else {
      fold(delta.ids());
      lost(compare(due()));
    }
    position = delta.position();
    return list;
  }

  /** Number of outdated rows that a comparison found although a note should have named them. */
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

  /**
   * Number of rows to compare now so that all are compared within a minute. 0 until a whole page is
   * due.
   */
  private int due() {
    double passed = (nanos.getAsLong() - comparedAtNanos) / COMPARE_NANOS;
    double due = Math.max(rows.size(), PAGE) * passed;
    return due < PAGE ? 0 : (int) Math.min(due, Integer.MAX_VALUE);
  }

  /** Reads the rows of the next page with a different version, and returns their number. */
  private int compare(int most) {
    if (most == 0) {
      return 0;
    }
    List<Version> page = source.versions(comparedTo, most);
    UUID last = page.size() < most ? null : page.getLast().id();
    Set<UUID> differ = new TreeSet<>();
    for (Version stored : page) {
      V row = rows.get(stored.id());
      if (row == null || source.version(row) != stored.version()) {
        differ.add(stored.id());
      }
    }
    Set<UUID> there = ids(page);
    (last == null ? rows.tailMap(comparedTo, false) : rows.subMap(comparedTo, false, last, true))
        .keySet().stream().filter(id -> !there.contains(id)).forEach(differ::add);
    fold(differ);
    comparedTo = last == null ? BEFORE_ALL : last;
    comparedAtNanos = nanos.getAsLong();
    return differ.size();
  }

  private static Set<UUID> ids(List<Version> versions) {
    return versions.stream().map(Version::id).collect(Collectors.toSet());
  }

  private void lost(int differing) {
    if (differing > 0) {
      lostNotes.addAndGet(differing);
      LOG.warn(
          "{} of {} cached {} rows were stale because a change wrote no change note, and were read"
              + " again",
          differing,
          list.size(),
          kind);
    }
  }
}

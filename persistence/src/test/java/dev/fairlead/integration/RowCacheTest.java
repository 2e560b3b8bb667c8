package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.postgres.ChangeNotes;
import dev.fairlead.kernel.postgres.RowCache;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory matches the database, regardless of the writing process and the order of changes. */
class RowCacheTest {
  private static final long BOUND_SECONDS = 60;

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final AtomicLong nanos = new AtomicLong();
  private final Names source = new Names();
  private final RowCache<Named> cache =
      new RowCache<>(new ChangeNotes(stores.jdbc()), ChangeNotes.Kind.JOB, source, nanos::get);
  private final ExecutorService other = Executors.newSingleThreadExecutor();

  @AfterEach
  void end() {
    other.shutdownNow();
  }

  @Test
  void cacheFollowsInsertsUpdatesAndEnds() {
    Job job = submit("first");
    assertThat(read()).containsEntry(job.id().value(), job.version());

    rename(job);
    assertThat(read()).containsEntry(job.id().value(), once(job));

    stores
        .transactions()
        .run(() ->
            stores.jdbc().sql("DELETE FROM job WHERE id = ?").param(job.id().value()).update());
    assertThat(read()).doesNotContainKey(job.id().value());
  }

  @Test
  void onlyChangedRowsAreReadAgain() {
    // Fails when each refresh reads all rows: the unchanged job would be read twice.
    Job still = submit("still");
    Job busy = submit("busy");
    read();
    source.read.clear();

    rename(busy);
    read();
    List<Named> before = cached();

    assertThat(source.read).containsOnlyKeys(busy.id().value());
    assertThat(read()).containsKey(still.id().value());
    assertThat(cached()).as("nothing changed: the same list").isSameAs(before);
  }

  @Test
  void changeOpenDuringAPassIsSeenByTheNextOneAfterItsCommit() throws Exception {
    // Fails when a refresh continues from the newest transaction instead of the oldest open one.
    Job slow = submit("slow");
    Job quick = submit("quick");
    read();
    Semaphore changed = new Semaphore(0);
    Semaphore commit = new Semaphore(0);
    Future<?> open =
        other.submit(() ->
            stores
                .transactions()
                .run(() -> {
                  touch(slow);
                  changed.release();
                  acquire(commit);
                }));
    assertThat(changed.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    rename(quick);

    assertThat(read())
        .containsEntry(slow.id().value(), slow.version())
        .containsEntry(quick.id().value(), once(quick));
    commit.release();
    open.get(BOUND_SECONDS, TimeUnit.SECONDS);
    assertThat(read()).containsEntry(slow.id().value(), once(slow));
  }

  @Test
  void lostNoteIsFoundWithinAMinuteAndCounted() {
    // Fails without the comparison: the row would remain stale permanently.
    Job job = submit("silent");
    read();
    Embedded.run("ALTER TABLE job DISABLE TRIGGER note_updated");
    try {
      rename(job);
    } finally {
      Embedded.run("ALTER TABLE job ENABLE TRIGGER note_updated");
    }
    assertThat(read()).containsEntry(job.id().value(), job.version());

    nanos.addAndGet(Duration.ofMinutes(2).toNanos());

    assertThat(read()).containsEntry(job.id().value(), once(job));
    assertThat(cache.lostNotes()).isEqualTo(1);
  }

  @Test
  void largeTablesAreComparedByPagesWithinAboutAMinute() {
    // Fails when one view compares all rows, or when a page begins where the last one did.
    Numbers many = new Numbers(10_000);
    RowCache<Named> of =
        new RowCache<>(new ChangeNotes(stores.jdbc()), ChangeNotes.Kind.NODE, many, nanos::get);
    stores.transactions().read(of::rows);
    many.asked.clear();
    many.table.put(9_500, 2L);
    many.table.remove(4_000);
    many.table.put(10_500, 1L);

    for (int seconds = 0; seconds < 66; seconds++) {
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      stores.transactions().read(of::rows);
    }

    assertThat(many.asked).hasSize(5).allMatch(rows -> rows < 2_500);
    assertThat(stores.transactions().read(of::rows))
        .isEqualTo(many.read(many.ids(), new TreeMap<>()));
    assertThat(of.lostNotes()).isEqualTo(3);
  }

  @Test
  void rowsNotedBeforeAClearAreReadInFull() {
    // Fails without the floor: the deleted note's change is never seen.
    Job job = submit("old");
    read();
    rename(job);
    clearNotes();

    assertThat(read()).containsEntry(job.id().value(), once(job));
    assertThat(cache.lostNotes()).isZero();
  }

  @Test
  void fullReadWithoutRowsLeavesNone() {
    // Fails when the previous list remains although nothing is left to fold.
    Job only = submit("only");
    read();
    stores
        .transactions()
        .run(() ->
            stores.jdbc().sql("DELETE FROM job WHERE id = ?").param(only.id().value()).update());
    clearNotes();

    assertThat(read()).isEmpty();
  }

  @Test
  void cachedWorldEqualsAFreshRead() {
    submit("placed");
    stores.world().read();
    stores.moveNode(stores.inventory().nodes(null).getFirst().id(), NodeState.DRAINING);

    assertThat(stores.world().read().nodes())
        .containsExactlyInAnyOrderElementsOf(stores.inventory().nodes(null));
  }

  private SortedMap<UUID, Long> read() {
    SortedMap<UUID, Long> versions = new TreeMap<>();
    cached().forEach(row -> versions.put(row.id(), row.version()));
    return versions;
  }

  private List<Named> cached() {
    stores.settled();
    return stores.transactions().read(cache::rows);
  }

  private Job submit(String name) {
    return world.submit(Specs.job(name));
  }

  private static long once(Job changed) {
    return changed.version() + 1;
  }

  private void rename(Job job) {
    stores.transactions().run(() -> touch(job));
  }

  private void touch(Job job) {
    stores
        .jdbc()
        .sql("UPDATE job SET version = version + 1 WHERE id = ?")
        .param(job.id().value())
        .update();
  }

  private static void acquire(Semaphore signal) {
    try {
      assertThat(signal.tryAcquire(BOUND_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The relevant part of a row. */
  private record Named(UUID id, long version) {}

  /** Jobs of the test's tenant, and which of them were read. */
  private void clearNotes() {
    stores
        .jdbc()
        .sql(
            "WITH old AS (DELETE FROM change_note RETURNING xid)"
                + " UPDATE change_floor SET xid = (SELECT max(xid) FROM old)")
        .update();
  }

  /** Rows that no note names, by the numbers of their ids. */
  private static final class Numbers implements RowCache.Rows<Named> {
    private final NavigableMap<Integer, Long> table = new TreeMap<>();
    private final List<Integer> asked = new ArrayList<>();

    Numbers(int rows) {
      IntStream.rangeClosed(1, rows).forEach(i -> table.put(i, 1L));
    }

    private List<UUID> ids() {
      return table.keySet().stream().map(i -> new UUID(0, i)).toList();
    }

    @Override
    public List<RowCache.Version> versions(UUID after, int most) {
      asked.add(most);
      return table.tailMap((int) after.getLeastSignificantBits(), false).entrySet().stream()
          .limit(most)
          .map(row -> new RowCache.Version(new UUID(0, row.getKey()), row.getValue()))
          .toList();
    }

    @Override
    public List<Named> read(Collection<UUID> ids, SortedMap<UUID, Named> known) {
      return ids.stream()
          .sorted()
          .map(id -> (int) id.getLeastSignificantBits())
          .filter(table::containsKey)
          .map(i -> new Named(new UUID(0, i), table.get(i)))
          .toList();
    }

    @Override
    public UUID id(Named row) {
      return row.id();
    }

    @Override
    public long version(Named row) {
      return row.version();
    }
  }

  private final class Names implements RowCache.Rows<Named> {
    private final SortedMap<UUID, Long> read = new TreeMap<>();

    @Override
    public List<RowCache.Version> versions(UUID after, int most) {
      return rows().stream()
          .filter(row -> row.id().compareTo(after) > 0)
          .limit(most)
          .map(row -> new RowCache.Version(row.id(), row.version()))
          .toList();
    }

    @Override
    public List<Named> read(Collection<UUID> ids, SortedMap<UUID, Named> known) {
      List<Named> found = rows().stream().filter(row -> ids.contains(row.id())).toList();
      found.forEach(row -> read.put(row.id(), row.version()));
      return found;
    }

    private List<Named> rows() {
      return stores
          .jdbc()
          .sql("SELECT id, version FROM job WHERE tenant = ? ORDER BY id")
          .param(world.tenant().id().value())
          .query((row, n) -> new Named(row.getObject("id", UUID.class), row.getLong("version")))
          .list();
    }

    @Override
    public UUID id(Named row) {
      return row.id();
    }

    @Override
    public long version(Named row) {
      return row.version();
    }
  }
}

package dev.fairlead.front.memory;

import dev.fairlead.front.FrontBreaker;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.store.JobStore;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link FrontStore}. */
public final class MemoryFrontStore implements FrontStore {
  private final MemoryDatabase database;
  private final JobStore jobs;
  private final MemoryTable<Key, FrontNamespace> namespaces;
  private final MemoryTable<Key, Row> rows;
  private final MemoryTable<ClusterId, String> troubles;
  private int failures;
  private int failedRemovals;

  public MemoryFrontStore(MemoryDatabase database, JobStore jobs) {
    this.database = database;
    this.jobs = jobs;
    this.namespaces = database.table();
    this.rows = database.table();
    this.troubles = database.table();
  }

  /** Fails the next updates, as if their process had been killed before them. */
  public void failsOnUpdate(int times) {
    failures = times;
  }

  /** Fails the next removals of Jobs. */
  public void failsOnRemove(int times) {
    failedRemovals = times;
  }

  private record Key(ClusterId cluster, String name) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byCluster = cluster.compareTo(other.cluster);
      return byCluster != 0 ? byCluster : name.compareTo(other.name);
    }
  }

  private record Row(FrontJob job, long shown, @Nullable Instant missingSince, boolean confirmed) {
    Row shown(long version) {
      return new Row(job, version, missingSince, confirmed);
    }

    Row missing(@Nullable Instant since, boolean lost) {
      return new Row(job, shown, since, lost);
    }

    /** Returns whether it is missing and no operator has confirmed its loss. */
    boolean doubted() {
      return missingSince != null && !confirmed;
    }
  }

  private static Key key(FrontJob job) {
    return new Key(job.cluster(), job.uid());
  }

  @Override
  public List<FrontNamespace> namespaces() {
    return database.call(() -> List.copyOf(namespaces.all()));
  }

  @Override
  public List<FrontNamespace> namespaces(ClusterId cluster) {
    return namespaces().stream().filter(one -> one.cluster().equals(cluster)).toList();
  }

  @Override
  public void put(FrontNamespace one) {
    database.run(() -> namespaces.put(new Key(one.cluster(), one.namespace()), one));
  }

  @Override
  public boolean remove(ClusterId cluster, String namespace) {
    return database.call(() -> {
      boolean there = namespaces.has(new Key(cluster, namespace));
      namespaces.remove(new Key(cluster, namespace));
      return there;
    });
  }

  @Override
  public void tell(ClusterId cluster, @Nullable String trouble) {
    database.run(() -> {
      if (trouble == null || namespaces(cluster).isEmpty()) {
        troubles.remove(cluster);
      } else {
        troubles.put(cluster, trouble);
      }
    });
  }

  @Override
  public SortedMap<ClusterId, String> troubles() {
    return database.call(() -> new TreeMap<>(troubles.map()));
  }

  private List<Row> of(ClusterId cluster, Predicate<Row> wanted) {
    return database.call(() ->
        rows.all().stream()
            .filter(row -> row.job().cluster().equals(cluster) && wanted.test(row))
            .toList());
  }

  @Override
  public SortedMap<String, Integer> counts(ClusterId cluster) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    of(cluster, row -> true).forEach(row -> counts.merge(row.job().namespace(), 1, Integer::sum));
    return counts;
  }

  @Override
  public List<String> taken(ClusterId cluster, String after, int most) {
    return uids(cluster, row -> true, after, most);
  }

  @Override
  public List<String> moved(ClusterId cluster, String after, int most) {
    return uids(cluster, this::moved, after, most);
  }

  private List<String> uids(ClusterId cluster, Predicate<Row> wanted, String after, int most) {
    return of(cluster, wanted).stream()
        .map(row -> row.job().uid())
        .filter(uid -> uid.compareTo(after) > 0)
        .limit(most)
        .toList();
  }

  private boolean moved(Row row) {
    return row.job().job() != null
        && jobs.findAll(List.of(row.job().job())).stream()
            .map(Job::version)
            .noneMatch(version -> version == row.shown());
  }

  @Override
  public List<FrontJob> find(ClusterId cluster, Collection<String> uids) {
    return of(cluster, row -> uids.contains(row.job().uid())).stream().map(Row::job).toList();
  }

  @Override
  public SortedSet<String> insert(Collection<FrontJob> jobs) {
    return database.call(() -> {
      SortedSet<String> added = new TreeSet<>();
      for (FrontJob job : jobs) {
        if (!rows.has(key(job))) {
          rows.put(key(job), new Row(job, 0, null, false));
          added.add(job.uid());
        }
      }
      return added;
    });
  }

  @Override
  public SortedSet<String> update(Collection<FrontJob> jobs) {
    if (failures > 0) {
      failures--;
      throw new IllegalStateException("the process is killed");
    }
    return database.call(() -> {
      SortedSet<String> updated = new TreeSet<>();
      for (FrontJob job : jobs) {
        rows.find(key(job))
            .ifPresent(old -> {
              rows.put(key(job), new Row(job, old.shown(), old.missingSince(), old.confirmed()));
              updated.add(job.uid());
            });
      }
      return updated;
    });
  }

  @Override
  public void shown(ClusterId cluster, SortedMap<String, Long> versions) {
    database.run(() ->
        versions.forEach((uid, version) -> {
          Key key = new Key(cluster, uid);
          rows.find(key).ifPresent(old -> rows.put(key, old.shown(version)));
        }));
  }

  @Override
  public void remove(Collection<FrontJob> jobs) {
    if (failedRemovals > 0) {
      failedRemovals--;
      throw new IllegalStateException("the rows are not removed");
    }
    database.run(() -> jobs.forEach(job -> rows.remove(key(job))));
  }

  @Override
  public SortedMap<ClusterId, FrontBreaker> breakers() {
    return database.call(() -> {
      SortedMap<ClusterId, FrontBreaker> open = new TreeMap<>();
      for (Row row : rows.all()) {
        ClusterId cluster = row.job().cluster();
        if (row.doubted() && !open.containsKey(cluster)) {
          List<Row> missing = of(cluster, Row::doubted);
          Instant since =
              missing.stream().map(Row::missingSince).min(Comparator.naturalOrder()).orElseThrow();
          int taken = of(cluster, any -> true).size();
          open.put(cluster, new FrontBreaker(cluster, missing.size(), taken, since));
        }
      }
      return open;
    });
  }

  @Override
  public void mark(ClusterId cluster, Collection<String> missing, Instant now) {
    database.run(() -> {
      for (Row row : of(cluster, any -> true)) {
        boolean is = missing.contains(row.job().uid());
        if (is != (row.missingSince() != null)) {
          rows.put(key(row.job()), row.missing(is ? now : null, false));
        }
      }
    });
  }

  @Override
  public SortedMap<TenantId, Integer> confirm(ClusterId cluster) {
    return database.call(() -> {
      SortedMap<TenantId, Integer> confirmed = new TreeMap<>();
      for (Row row : of(cluster, Row::doubted)) {
        rows.put(key(row.job()), row.missing(row.missingSince(), true));
        confirmed.merge(row.job().tenant(), 1, Integer::sum);
      }
      return confirmed;
    });
  }

  @Override
  public SortedSet<String> confirmed(ClusterId cluster) {
    return new TreeSet<>(of(cluster, Row::confirmed).stream().map(row -> row.job().uid()).toList());
  }
}

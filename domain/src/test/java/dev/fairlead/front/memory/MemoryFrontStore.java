package dev.fairlead.front.memory;

import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Conflict.Guard;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Twin of {@link FrontStore}. */
public final class MemoryFrontStore implements FrontStore {
  private final MemoryDatabase database;
  private final JobStore jobs;
  private final MemoryTable<Key, FrontNamespace> namespaces;
  private final MemoryTable<Key, Row> rows;
  private final MemoryTable<ClusterId, String> troubles;
  private int failures;

  public MemoryFrontStore(MemoryDatabase database, JobStore jobs) {
    this.database = database;
    this.jobs = jobs;
    this.namespaces = database.table();
    this.rows = database.table();
    this.troubles = database.table();
  }

  /** So many of the next updates fail, as when their process is killed before them. */
  public void failsOnUpdate(int times) {
    failures = times;
  }

  private record Key(ClusterId cluster, String name) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byCluster = cluster.compareTo(other.cluster);
      return byCluster != 0 ? byCluster : name.compareTo(other.name);
    }
  }

  private record Row(FrontJob job, long shown) {}

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
  public void insert(FrontJob job) {
    database.run(() -> {
      if (rows.has(key(job))) {
        throw new Conflict(Guard.VERSION, job.text());
      }
      rows.put(key(job), new Row(job, 0));
    });
  }

  @Override
  public boolean update(FrontJob job) {
    if (failures > 0) {
      failures--;
      throw new IllegalStateException("the process is killed");
    }
    return database.call(() -> {
      Row old = rows.find(key(job)).orElse(null);
      if (old == null) {
        return false;
      }
      rows.put(key(job), new Row(job, old.shown()));
      return true;
    });
  }

  @Override
  public void shown(ClusterId cluster, SortedMap<String, Long> versions) {
    database.run(() ->
        versions.forEach((uid, version) -> {
          Key key = new Key(cluster, uid);
          rows.find(key).ifPresent(old -> rows.put(key, new Row(old.job(), version)));
        }));
  }

  @Override
  public void remove(FrontJob job) {
    database.run(() -> rows.remove(key(job)));
  }
}

package dev.fairlead.care.health.memory;

import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** In-memory implementation of {@link SampleStore}. */
public final class MemorySampleStore implements SampleStore {
  private record Row(ClusterId cluster, SampleRecord sample) {
    String key() {
      return cluster.text() + "/" + sample.gpu() + "/" + sample.series();
    }
  }

  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<String, Row> rows;

  public MemorySampleStore(MemoryDatabase database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.rows = database.table();
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public List<SampleRecord> of(ClusterId cluster) {
    return database.call(
        () -> rows.all().stream().filter(r -> r.cluster.equals(cluster)).map(Row::sample).toList());
  }

  @Override
  public void write(ClusterId cluster, Collection<SampleRecord> samples) {
    database.run(() -> {
      for (SampleRecord sample : samples) {
        Row row = new Row(cluster, sample);
        rows.put(row.key(), row);
      }
    });
  }

  @Override
  public void forget(ClusterId cluster, Collection<String> gpus) {
    database.run(() ->
        rows.all().stream()
            .filter(r -> r.cluster.equals(cluster) && gpus.contains(r.sample.gpu()))
            .toList()
            .forEach(r -> rows.remove(r.key())));
  }

  @Override
  public Set<String> elsewhere(ClusterId cluster, Collection<String> gpus, Instant since) {
    return database.call(() ->
        rows.all().stream()
            .filter(r -> !r.cluster.equals(cluster) && r.sample.seenAt().isAfter(since))
            .map(r -> r.sample.gpu())
            .filter(gpus::contains)
            .collect(Collectors.toSet()));
  }
}

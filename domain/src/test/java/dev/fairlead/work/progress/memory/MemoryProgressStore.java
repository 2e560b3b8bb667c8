package dev.fairlead.work.progress.memory;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.output.ProgressReport;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.progress.WatchedAttempt;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link ProgressStore}. */
public final class MemoryProgressStore implements ProgressStore {
  private final MemoryDatabase database;
  private final InventoryStore inventory;
  private final MemoryTable<AttemptId, Row> rows;

  private record Row(WatchedAttempt watched, Instant lookAt, @Nullable ProgressReport report) {
    Row with(Instant from, @Nullable Instant calledAt, Instant nextLook) {
      WatchedAttempt w = watched;
      return new Row(
          new WatchedAttempt(
              w.attempt(), w.job(), w.tenant(), w.cluster(), w.timeout(), from, calledAt),
          nextLook,
          report);
    }

    Row reporting(Progress progress, Instant now) {
      return progress.empty()
          ? this
          : new Row(watched, lookAt, ProgressReport.of(report, progress, now));
    }
  }

  public MemoryProgressStore(MemoryDatabase database, InventoryStore inventory) {
    this.database = database;
    this.inventory = inventory;
    this.rows = database.table();
  }

  @Override
  public void begin(Collection<WatchedAttempt> attempts) {
    database.run(() ->
        attempts.stream()
            .filter(each -> !rows.has(each.attempt()) && calls(each))
            .forEach(each ->
                rows.put(each.attempt(), new Row(each, each.from().plus(each.timeout()), null))));
  }

  private boolean calls(WatchedAttempt watched) {
    return inventory
        .cluster(watched.cluster())
        .map(Cluster::settings)
        .filter(settings -> settings.callback() != null)
        .isPresent();
  }

  @Override
  public boolean called(TenantId tenant, AttemptId attempt, Progress progress, Instant now) {
    return database.call(() -> {
      Row row = rows.find(attempt).filter(r -> r.watched().tenant().equals(tenant)).orElse(null);
      if (row == null) {
        return false;
      }
      Instant last = row.watched().calledAt();
      if (last == null || last.isBefore(now.minus(CALLS_EVERY)) || last.isAfter(now)) {
        rows.put(
            attempt, row.with(row.watched().from(), now, row.lookAt()).reporting(progress, now));
      }
      return true;
    });
  }

  @Override
  public SortedMap<AttemptId, ProgressReport> reports(
      TenantId tenant, Collection<AttemptId> attempts) {
    return database.call(() -> {
      SortedMap<AttemptId, ProgressReport> found = new TreeMap<>();
      for (AttemptId attempt : attempts) {
        rows.find(attempt)
            .filter(row -> row.watched().tenant().equals(tenant))
            .map(Row::report)
            .ifPresent(report -> found.put(attempt, report));
      }
      return found;
    });
  }

  @Override
  public SortedMap<AttemptId, Instant> predictedEnds(Collection<AttemptId> attempts) {
    return database.call(() -> {
      SortedMap<AttemptId, Instant> ends = new TreeMap<>();
      for (AttemptId attempt : attempts) {
        rows.find(attempt)
            .map(Row::report)
            .map(ProgressReport::predicted)
            .ifPresent(end -> ends.put(attempt, end));
      }
      return ends;
    });
  }

  @Override
  public List<WatchedAttempt> due(Instant now, int most) {
    return database.call(() ->
        rows.all().stream()
            .filter(row -> !row.lookAt().isAfter(now))
            .sorted(Comparator.comparing(Row::lookAt))
            .map(Row::watched)
            .limit(most)
            .toList());
  }

  @Override
  public void look(AttemptId attempt, Instant from, Instant at) {
    database.run(() ->
        rows.find(attempt)
            .ifPresent(row -> rows.put(attempt, row.with(from, row.watched().calledAt(), at))));
  }

  @Override
  public void countFrom(Collection<AttemptId> attempts, Instant from) {
    database.run(() -> {
      for (AttemptId attempt : attempts) {
        rows.find(attempt)
            .filter(row -> row.watched().from().isBefore(from))
            .ifPresent(
                row -> rows.put(attempt, row.with(from, row.watched().calledAt(), row.lookAt())));
      }
    });
  }

  @Override
  public boolean remove(WatchedAttempt seen) {
    return database.call(() -> {
      boolean same =
          rows.find(seen.attempt())
              .filter(row -> Objects.equals(row.watched().calledAt(), seen.calledAt()))
              .isPresent();
      if (same) {
        rows.remove(seen.attempt());
      }
      return same;
    });
  }
}

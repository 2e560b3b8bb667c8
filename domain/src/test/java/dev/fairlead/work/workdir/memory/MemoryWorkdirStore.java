package dev.fairlead.work.workdir.memory;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.workdir.Workdir;
import dev.fairlead.work.workdir.WorkdirStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** In-memory implementation of {@link WorkdirStore}. */
public final class MemoryWorkdirStore implements WorkdirStore {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final Predicate<JobId> retained;
  private final MemoryTable<UUID, Row> rows;
  private final MemoryTable<JobId, UUID> claims;

  private enum State {
    UPLOADING,
    STORED,
    DELETING
  }

  private record Row(Workdir workdir, State state, Instant began, Instant usedAt) {
    Row to(State next, Instant now) {
      return new Row(workdir, next, began, now);
    }
  }

  /**
   * @param retained whether the job was not deleted
   */
  public MemoryWorkdirStore(
      MemoryDatabase database, InstantSource clock, Predicate<JobId> retained) {
    this.database = database;
    this.clock = clock;
    this.retained = retained;
    this.rows = database.table();
    this.claims = database.table();
  }

  private Optional<Row> stored(TenantId tenant, ProjectId project, String digest) {
    return rows.all().stream()
        .filter(row -> row.state() == State.STORED)
        .filter(row -> row.workdir().tenant().equals(tenant))
        .filter(row -> row.workdir().project().equals(project))
        .filter(row -> row.workdir().digest().equals(digest))
        .findFirst();
  }

  @Override
  public Optional<Workdir> find(TenantId tenant, ProjectId project, String digest) {
    return database.call(() -> {
      Optional<Row> row = stored(tenant, project, digest);
      row.ifPresent(r -> rows.put(r.workdir().id(), r.to(State.STORED, clock.instant())));
      return row.map(Row::workdir);
    });
  }

  @Override
  public boolean begin(Workdir upload, long most) {
    return database.call(() -> {
      long used =
          rows.all().stream()
              .filter(row -> row.state() != State.DELETING)
              .filter(row -> row.workdir().project().equals(upload.project()))
              .mapToLong(row -> row.workdir().bytes())
              .sum();
      if (used + upload.bytes() > most) {
        return false;
      }
      Instant now = clock.instant();
      rows.put(upload.id(), new Row(upload, State.UPLOADING, now, now));
      return true;
    });
  }

  @Override
  public boolean complete(Workdir upload) {
    return database.call(() -> {
      Optional<Row> row = rows.find(upload.id()).filter(r -> r.state() == State.UPLOADING);
      if (row.isEmpty() || stored(upload.tenant(), upload.project(), upload.digest()).isPresent()) {
        return false;
      }
      rows.put(upload.id(), row.get().to(State.STORED, clock.instant()));
      return true;
    });
  }

  @Override
  public void abandon(Workdir upload) {
    database.run(() ->
        rows.find(upload.id())
            .filter(row -> row.state() == State.UPLOADING)
            .ifPresent(row -> rows.put(upload.id(), row.to(State.DELETING, clock.instant()))));
  }

  @Override
  public boolean claim(TenantId tenant, ProjectId project, JobId job, String digest) {
    return database.call(() -> {
      Optional<Row> row = stored(tenant, project, digest);
      row.ifPresent(r -> claims.put(job, r.workdir().id()));
      return row.isPresent();
    });
  }

  @Override
  public List<Workdir> condemn(Duration upload, Duration unclaimed, int limit) {
    return database.call(() -> {
      Instant now = clock.instant();
      List<Row> old =
          rows.all().stream()
              .filter(row -> old(row, now.minus(upload), now.minus(unclaimed)))
              .sorted(Comparator.comparing(Row::usedAt).thenComparing(row -> row.workdir().id()))
              .limit(limit)
              .toList();
      old.forEach(row -> rows.put(row.workdir().id(), row.to(State.DELETING, now)));
      return old.stream().map(Row::workdir).toList();
    });
  }

  private boolean old(Row row, Instant upload, Instant unclaimed) {
    return switch (row.state()) {
      case UPLOADING -> row.began().isBefore(upload);
      case STORED -> row.usedAt().isBefore(unclaimed) && !claimed(row.workdir().id());
      case DELETING -> true;
    };
  }

  private boolean claimed(UUID id) {
    return claims.map().keySet().stream()
        .filter(retained)
        .anyMatch(job -> claims.find(job).filter(id::equals).isPresent());
  }

  @Override
  public void forget(UUID id) {
    database.run(() ->
        rows.find(id)
            .filter(row -> row.state() == State.DELETING)
            .ifPresent(row -> rows.remove(id)));
  }
}

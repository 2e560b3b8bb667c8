package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.postgres.read.JobRows;
import dev.fairlead.work.job.postgres.read.JobTable;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes rows of jobs and elements, each with the guard in its statement. */
@Component
class JobWrites {
  private static final SqlFile LOCK = SqlFile.named("job/lock-jobs");
  private static final SqlFile INSERT = SqlFile.named("job/insert-jobs");
  private static final SqlFile STORED = SqlFile.named("job/stored-jobs");
  private static final SqlFile UPDATE = SqlFile.named("job/update-jobs");
  private static final SqlFile RESPECIFY = SqlFile.named("job/update-specs");
  private static final SqlFile ELEMENTS = SqlFile.named("job/write-elements");

  private final JdbcClient jdbc;

  JobWrites(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  void write(AppendBatch batch) {
    List<AppendBatch.Chain> stored =
        batch.jobs().stream().filter(chain -> !chain.created()).toList();
    Set<UUID> lived = stored.isEmpty() ? Set.of() : lock(stored);
    insert(
        batch.jobs().stream()
            .filter(AppendBatch.Chain::created)
            .map(AppendBatch.Chain::last)
            .toList());
    List<AppendBatch.Chain> changed = stored.stream().filter(AppendBatch.Chain::changed).toList();
    if (!changed.isEmpty()) {
      update(changed, lived);
      respecify(changed.stream().filter(AppendBatch.Chain::respecified).toList());
    }
    elements(batch.elements());
  }

  /** Returns the jobs that have not ended. */
  private Set<UUID> lock(List<AppendBatch.Chain> stored) {
    Map<UUID, Long> versions = new TreeMap<>();
    Set<UUID> active = new TreeSet<>();
    jdbc.sql(LOCK.text())
        .param("ids", JobTable.ids(stored.stream().map(c -> c.last().id()).toList()))
        .query(row -> {
          UUID id = Columns.uuid(row, "id");
          versions.put(id, row.getLong("version"));
          if (row.getBoolean("active")) {
            active.add(id);
          }
        });
    for (AppendBatch.Chain chain : stored) {
      if (versions.getOrDefault(chain.last().id().value(), 0L) != chain.before()) {
        throw refused(Guard.VERSION, chain.last());
      }
    }
    return active;
  }

  private void insert(List<Job> created) {
    if (created.isEmpty()) {
      return;
    }
    RowBatch rows = new RowBatch();
    created.forEach(job -> JobRows.write(rows.row(), job));
    Set<UUID> written =
        new TreeSet<>(jdbc.sql(INSERT.text()).param("rows", rows.json()).query(UUID.class).list());
    List<Job> refused =
        created.stream().filter(job -> !written.contains(job.id().value())).toList();
    if (refused.isEmpty()) {
      return;
    }
    Job first = refused.getFirst();
    boolean known =
        jdbc.sql(STORED.text()).param("id", first.id().value()).query(Boolean.class).single();
    throw refused(known ? Guard.VERSION : Guard.NAME_TAKEN, first);
  }

  private void update(List<AppendBatch.Chain> changed, Set<UUID> lived) {
    RowBatch rows = new RowBatch();
    for (AppendBatch.Chain chain : changed) {
      JobRows.change(rows.row(), chain.last());
      rows.set("before", chain.before()).set("lived", lived.contains(chain.last().id().value()));
    }
    Set<UUID> written =
        new TreeSet<>(jdbc.sql(UPDATE.text()).param("rows", rows.json()).query(UUID.class).list());
    for (AppendBatch.Chain chain : changed) {
      if (!written.contains(chain.last().id().value())) {
        throw refused(Guard.VERSION, chain.last());
      }
    }
  }

  /** Writes the changed specs of rows that their guarded statement has just updated. */
  private void respecify(List<AppendBatch.Chain> patched) {
    if (!patched.isEmpty()) {
      RowBatch rows = new RowBatch();
      for (AppendBatch.Chain chain : patched) {
        RowBatch row = rows.row().set("version", chain.last().version());
        JobRows.spec(row, chain.last());
      }
      try {
        jdbc.sql(RESPECIFY.text()).param("rows", rows.json()).update();
      } catch (DuplicateKeyException named) {
        throw refused(Guard.NAME_TAKEN, patched.getFirst().last());
      }
    }
  }

  private void elements(List<AppendBatch.ElementRow> elements) {
    if (elements.isEmpty()) {
      return;
    }
    RowBatch rows = new RowBatch();
    elements.forEach(e -> JobRows.write(rows.row(), e.element(), e.job().tenant()));
    Set<String> written =
        new TreeSet<>(
            jdbc.sql(ELEMENTS.text()).param("rows", rows.json()).query(String.class).list());
    for (AppendBatch.ElementRow row : elements) {
      if (!written.contains(row.element().job().value() + "/" + row.element().index())) {
        throw refused(Guard.VERSION, row.job());
      }
    }
  }

  static Conflict refused(Guard guard, Job job) {
    return new Conflict(guard, job.id().text());
  }
}

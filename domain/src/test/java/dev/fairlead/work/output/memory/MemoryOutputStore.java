package dev.fairlead.work.output.memory;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.output.OutputStore;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** In-memory implementation of {@link OutputStore}. */
public final class MemoryOutputStore implements OutputStore {
  private final MemoryDatabase database;
  private final JobStore jobs;
  private final MemoryTable<AttemptId, Row> rows;

  private record Row(JobId job, AttemptId attempt, SortedMap<String, String> outputs) {}

  public MemoryOutputStore(MemoryDatabase database, JobStore jobs) {
    this.database = database;
    this.jobs = jobs;
    this.rows = database.table();
  }

  private Optional<Attempt> attempt(TenantId tenant, JobId job, AttemptId attempt) {
    return jobs.attempts(List.of(attempt)).stream()
        .filter(found -> found.job().equals(job) && jobs.find(tenant, job).isPresent())
        .findFirst();
  }

  @Override
  public Optional<SortedMap<String, String>> lock(TenantId tenant, JobId job, AttemptId attempt) {
    return database.call(
        () -> attempt(tenant, job, attempt).filter(Attempt::live).map(a -> stored(attempt)));
  }

  @Override
  public void write(
      TenantId tenant, JobId job, AttemptId attempt, SortedMap<String, String> outputs) {
    database.run(() -> {
      if (attempt(tenant, job, attempt).isPresent()) {
        List<Row> others = rows.all().stream().filter(row -> row.job().equals(job)).toList();
        others.forEach(row -> rows.remove(row.attempt()));
        rows.put(attempt, new Row(job, attempt, new TreeMap<>(outputs)));
      }
    });
  }

  @Override
  public SortedMap<String, String> of(TenantId tenant, JobId job, AttemptId attempt) {
    return database.call(
        () -> attempt(tenant, job, attempt).map(a -> stored(attempt)).orElseGet(TreeMap::new));
  }

  @Override
  public SortedMap<JobId, SortedSet<String>> names(Collection<JobId> wanted) {
    return database.call(() -> {
      SortedMap<JobId, SortedSet<String>> names = new TreeMap<>();
      for (Row row : rows.all()) {
        boolean newest =
            wanted.contains(row.job())
                && jobs.attempts(row.job(), 1).getLast().id().equals(row.attempt());
        if (newest && !row.outputs().isEmpty()) {
          names.put(row.job(), new TreeSet<>(row.outputs().keySet()));
        }
      }
      return names;
    });
  }

  private SortedMap<String, String> stored(AttemptId attempt) {
    return rows.find(attempt).map(Row::outputs).map(TreeMap::new).orElseGet(TreeMap::new);
  }
}

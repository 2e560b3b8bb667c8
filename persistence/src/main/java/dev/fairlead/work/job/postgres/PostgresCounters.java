package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.Counters;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link Counters} on PostgreSQL. A repair takes the locks of the ledgers (quota, then nodes, then
 * GPUs) and counts in a statement after that: a writer waits, or has committed and is counted.
 */
@Component
class PostgresCounters implements Counters {
  private static final SqlFile NODE_DRIFTS = SqlFile.named("counters/node-drifts");
  private static final SqlFile GPU_DRIFTS = SqlFile.named("counters/gpu-drifts");
  private static final SqlFile LOCK_NODES = SqlFile.named("counters/lock-nodes");
  private static final SqlFile LOCK_GPUS = SqlFile.named("counters/lock-gpus");
  private static final SqlFile LICENCE_DRIFTS = SqlFile.named("counters/licence-drifts");
  private static final SqlFile LOCK_LICENCES = SqlFile.named("counters/lock-licences");
  private static final SqlFile RELEASE_LICENCES = SqlFile.named("counters/release-licences");
  private static final SqlFile RECOUNT_NODES = SqlFile.named("counters/recount-nodes");
  private static final SqlFile RECOUNT_GPUS = SqlFile.named("counters/recount-gpus");
  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final QuotaDrift quotas;

  PostgresCounters(Transactions transactions, JdbcClient jdbc, QuotaDrift quotas) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.quotas = quotas;
  }

  @Override
  public List<Drift> compare() {
    return transactions.readForAllTenants(() -> {
      List<Drift> drifts = new ArrayList<>(quotas.compare());
      drifts.addAll(drifts(Kind.NODE, NODE_DRIFTS));
      drifts.addAll(drifts(Kind.GPU, GPU_DRIFTS));
      drifts.addAll(drifts(Kind.LICENCE, LICENCE_DRIFTS));
      return drifts;
    });
  }

  @Override
  public List<Drift> repair(Collection<Drift> found) {
    return transactions.forAllTenants(() -> {
      List<Drift> repaired = new ArrayList<>();
      if (found.stream().anyMatch(drift -> drift.kind() == Kind.QUOTA)) {
        repaired.addAll(quotas.repair());
      }
      repaired.addAll(repair(found, Kind.NODE, LOCK_NODES, NODE_DRIFTS, RECOUNT_NODES));
      repaired.addAll(repair(found, Kind.GPU, LOCK_GPUS, GPU_DRIFTS, RECOUNT_GPUS));
      repaired.addAll(repair(found, Kind.LICENCE, LOCK_LICENCES, LICENCE_DRIFTS, RELEASE_LICENCES));
      return repaired;
    });
  }

  private List<Drift> repair(
      Collection<Drift> found, Kind kind, SqlFile lock, SqlFile compare, SqlFile recount) {
    SortedSet<UUID> ids = new TreeSet<>();
    found.stream().filter(d -> d.kind() == kind).forEach(d -> ids.add(d.subject()));
    if (ids.isEmpty()) {
      return List.of();
    }
    jdbc.sql(lock.text()).param("ids", Json.ids(ids)).query((row, n) -> n).list();
    List<Drift> still =
        drifts(kind, compare).stream().filter(d -> ids.contains(d.subject())).toList();
    if (!still.isEmpty()) {
      List<UUID> wrong = still.stream().map(Drift::subject).distinct().toList();
      jdbc.sql(recount.text()).param("ids", Json.ids(wrong)).update();
    }
    return still;
  }

  private List<Drift> drifts(Kind kind, SqlFile query) {
    return jdbc.sql(query.text())
        .query((row, n) ->
            new Drift(
                kind,
                Columns.uuid(row, "id"),
                Columns.text(row, "counter"),
                row.getLong("counted"),
                row.getLong("held")))
        .list();
  }
}

package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresSampleStore implements SampleStore {
  private static final SqlFile OF = SqlFile.named("health/samples");
  private static final SqlFile WRITE = SqlFile.named("health/write-samples");
  private static final SqlFile FORGET = SqlFile.named("health/forget-samples");
  private static final SqlFile ELSEWHERE = SqlFile.named("health/samples-elsewhere");

  private final Transactions transactions;
  private final PoolStore pools;
  private final JdbcClient jdbc;

  PostgresSampleStore(Transactions transactions, PoolStore pools, JdbcClient jdbc) {
    this.transactions = transactions;
    this.pools = pools;
    this.jdbc = jdbc;
  }

  @Override
  public Instant now() {
    return pools.now();
  }

  @Override
  public List<SampleRecord> of(ClusterId cluster) {
    return transactions.readForAllTenants(() ->
        jdbc.sql(OF.text())
            .param("cluster", cluster.value())
            .query((row, n) ->
                new SampleRecord(
                    Columns.text(row, "gpu"),
                    Columns.text(row, "series"),
                    row.getLong("value"),
                    Columns.instant(row, "at"),
                    Columns.instant(row, "seen_at")))
            .list());
  }

  @Override
  public void write(ClusterId cluster, Collection<SampleRecord> samples) {
    RowBatch rows = new RowBatch();
    for (SampleRecord sample : samples) {
      rows.row()
          .set("gpu", sample.gpu())
          .set("series", sample.series())
          .set("value", sample.value())
          .set("at", sample.at().toString())
          .set("seen_at", sample.seenAt().toString());
    }
    if (!rows.isEmpty()) {
      int _ =
          transactions.forAllTenants(() ->
              jdbc.sql(WRITE.text())
                  .param("cluster", cluster.value())
                  .param("rows", rows.json())
                  .update());
    }
  }

  @Override
  public void forget(ClusterId cluster, Collection<String> gpus) {
    if (!gpus.isEmpty()) {
      int _ =
          transactions.forAllTenants(() ->
              jdbc.sql(FORGET.text())
                  .param("cluster", cluster.value())
                  .param("gpus", gpus.toArray(String[]::new))
                  .update());
    }
  }

  @Override
  public Set<String> elsewhere(ClusterId cluster, Collection<String> gpus, Instant since) {
    return transactions.readForAllTenants(() ->
        new TreeSet<>(
            jdbc.sql(ELSEWHERE.text())
                .param("cluster", cluster.value())
                .param("gpus", gpus.toArray(String[]::new))
                .param("since", Columns.parameter(since))
                .query(String.class)
                .list()));
  }
}

package dev.fairlead.work.serving.cost.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.cost.ReplicaTime;
import dev.fairlead.work.serving.cost.ReplicaTimes;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresReplicaTimes implements ReplicaTimes {
  private static final SqlFile TIMES = SqlFile.named("serving/replica-times");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresReplicaTimes(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<ReplicaTime> of(
      TenantId tenant, Set<ModelServiceId> services, List<Long> begins, long toMillis) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(TIMES.text())
                .param("tenant", tenant.value())
                .param(
                    "services",
                    services.stream()
                        .map(ModelServiceId::bare)
                        .collect(Collectors.joining(",", "{", "}")))
                .param("begins", begins.toString().replace('[', '{').replace(']', '}'))
                .param("from", begins.getFirst())
                .param("to", toMillis)
                .query((row, n) ->
                    new ReplicaTime(
                        new ModelServiceId(
                            IdText.decode(Columns.text(row, "service")).orElseThrow()),
                        row.getInt("span"),
                        new ClusterId(Columns.uuid(row, "cluster")),
                        Columns.text(row, "pool"),
                        new Flavor(
                            Columns.text(row, "model"),
                            Columns.value(row, "capacity", CapacityType.class)),
                        row.getLong("milli_ms")))
                .list());
  }
}

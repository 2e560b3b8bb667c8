package dev.fairlead.data.transfer.postgres;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferId;
import dev.fairlead.data.transfer.TransferStore;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresTransferStore implements TransferStore {
  private static final SqlFile INSERT = SqlFile.named("transfer/insert");
  private static final SqlFile UPDATE = SqlFile.named("transfer/update");
  private static final SqlFile FIND = SqlFile.named("transfer/find");
  private static final SqlFile OF_PROJECT = SqlFile.named("transfer/of-project");
  private static final SqlFile OPEN = SqlFile.named("transfer/open");
  private static final SqlFile FORGET = SqlFile.named("transfer/forget");
  private static final String TENANT = "tenant";
  private static final String PROJECT = "project";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresTransferStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void insert(Transfer transfer) {
    Constraints.unique(
        () ->
            transactions.runInTenant(
                transfer.tenant(),
                () -> {
                  int _ =
                      written(INSERT, transfer)
                          .param(PROJECT, transfer.project().value())
                          .param("target", transfer.target().volume())
                          .update();
                }),
        () -> new Conflict(Guard.NAME_TAKEN, transfer.target().name()));
  }

  @Override
  public void update(Transfer transfer) {
    Conflict.unlessOne(
        transactions.inTenant(transfer.tenant(), () -> written(UPDATE, transfer).update()),
        Guard.VERSION,
        transfer.id().text());
  }

  private JdbcClient.StatementSpec written(SqlFile file, Transfer transfer) {
    return jdbc.sql(file.text())
        .param("id", transfer.id().value())
        .param(TENANT, transfer.tenant().value())
        .param("ended", Columns.parameter(transfer.status().endedAt()))
        .param("version", transfer.version())
        .param("content", Json.flat(transfer).toString());
  }

  @Override
  public Optional<Transfer> find(TenantId tenant, ProjectId project, TransferId id) {
    return transactions.inTenant(
        tenant,
        () ->
            read(
                    jdbc.sql(FIND.text())
                        .param(TENANT, tenant.value())
                        .param(PROJECT, project.value())
                        .param("id", id.value()))
                .stream()
                .findFirst());
  }

  @Override
  public List<Transfer> of(TenantId tenant, ProjectId project, int most) {
    return transactions.inTenant(
        tenant,
        () ->
            read(
                jdbc.sql(OF_PROJECT.text())
                    .param(TENANT, tenant.value())
                    .param(PROJECT, project.value())
                    .param("most", most)));
  }

  @Override
  public List<Transfer> open() {
    return transactions.forAllTenants(() -> read(jdbc.sql(OPEN.text())));
  }

  private static List<Transfer> read(JdbcClient.StatementSpec statement) {
    return statement
        .query((row, n) -> Json.readFlat(Columns.text(row, "content"), Transfer.class))
        .list();
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return transactions.forAllTenants(
        jdbc.sql(FORGET.text()).param("before", Columns.parameter(endedBefore)).param("most", most)
            ::update);
  }
}

package dev.fairlead.fleet.operation.postgres;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationBuilder;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.OperationKind;
import dev.fairlead.fleet.operation.OperationState;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresOperationStore implements OperationStore {
  private static final SqlFile INSERT = SqlFile.named("operation/insert-operation");
  private static final SqlFile UPDATE = SqlFile.named("operation/update-operation");
  private static final SqlFile FIND = SqlFile.named("operation/find-operation");
  private static final SqlFile LIST = SqlFile.named("operation/list-operations");
  private static final SqlFile RUNNING = SqlFile.named("operation/running-operations");
  private static final SqlFile RUNNING_ON = SqlFile.named("operation/running-on");

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final Changes changes;

  PostgresOperationStore(Transactions transactions, JdbcClient jdbc, Changes changes) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.changes = changes;
  }

  @Override
  public void insert(Operation operation) {
    transactions.runInTenant(
        operation.tenant(),
        () -> {
          Constraints.unique(
              () ->
                  written(jdbc.sql(INSERT.text()), operation)
                      .param("tenant", operation.tenant().value())
                      .param("kind", operation.kind().name())
                      .param("actor", operation.actor())
                      .param("cluster", operation.cluster().value())
                      .param("node", text(operation.node()))
                      .param("subject", operation.subject())
                      .param("created", Columns.parameter(operation.createdAt()))
                      .update(),
              () -> new Conflict(Guard.NAME_TAKEN, operation.subject()));
          changes.note(Change.INVENTORY);
        });
  }

  @Override
  public void update(Operation operation) {
    transactions.runInTenant(
        operation.tenant(),
        () -> {
          Conflict.unlessOne(
              written(jdbc.sql(UPDATE.text()), operation).update(),
              Guard.VERSION,
              operation.id().text());
          changes.note(Change.INVENTORY);
        });
  }

  private static JdbcClient.StatementSpec written(
      JdbcClient.StatementSpec statement, Operation operation) {
    DrainDeadline deadline = operation.deadline();
    return statement
        .param("id", operation.id().value())
        .param("state", operation.state().name())
        .param("total", operation.total())
        .param("left", operation.left())
        .param("step", operation.step())
        .param("deadline", Columns.parameter(deadline == null ? null : deadline.at()))
        .param("then", deadline == null ? null : deadline.then().name())
        .param("ended", Columns.parameter(operation.endedAt()))
        .param("version", operation.version());
  }

  @Override
  public Optional<Operation> find(TenantId tenant, OperationId id) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(FIND.text())
                .param("id", id.value())
                .param("tenant", tenant.value())
                .query(PostgresOperationStore::operation)
                .optional());
  }

  @Override
  public List<Operation> list(TenantId tenant, @Nullable OperationId before, int limit) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(LIST.text())
                .param("tenant", tenant.value())
                .param("before", before == null ? null : before.value().toString())
                .param("limit", limit)
                .query(PostgresOperationStore::operation)
                .list());
  }

  @Override
  public Optional<Operation> running(ClusterId cluster, @Nullable NodeId node) {
    return transactions.forAllTenants(() ->
        jdbc.sql(RUNNING_ON.text())
            .param("cluster", cluster.value())
            .param("node", text(node))
            .query(PostgresOperationStore::operation)
            .optional());
  }

  @Override
  public List<Operation> running() {
    return transactions.forAllTenants(
        () -> jdbc.sql(RUNNING.text()).query(PostgresOperationStore::operation).list());
  }

  private static @Nullable String text(@Nullable NodeId node) {
    return node == null ? null : node.value().toString();
  }

  private static @Nullable DrainDeadline deadline(ResultSet row) throws SQLException {
    Instant at = Columns.instantOrNull(row, "deadline");
    return at == null
        ? null
        : new DrainDeadline(at, Columns.value(row, "at_deadline", DrainPolicy.class));
  }

  private static Operation operation(ResultSet row, int number) throws SQLException {
    UUID node = Columns.uuidOrNull(row, "node");
    return OperationBuilder.builder()
        .id(new OperationId(Columns.uuid(row, "id")))
        .kind(Columns.value(row, "kind", OperationKind.class))
        .tenant(new TenantId(Columns.uuid(row, "tenant")))
        .actor(Columns.text(row, "actor"))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .node(node == null ? null : new NodeId(node))
        .subject(Columns.text(row, "subject"))
        .state(Columns.value(row, "state", OperationState.class))
        .total(row.getInt("total_count"))
        .left(row.getInt("left_count"))
        .step(Columns.text(row, "step"))
        .deadline(deadline(row))
        .createdAt(Columns.instant(row, "created_at"))
        .endedAt(Columns.instantOrNull(row, "ended_at"))
        .version(row.getLong("version"))
        .build();
  }
}

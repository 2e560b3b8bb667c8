package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresRepairStore implements RepairStore {
  private static final SqlFile OPEN = SqlFile.named("repair/open");
  private static final SqlFile ONE = SqlFile.named("repair/one");
  private static final SqlFile OPEN_PAGE = SqlFile.named("repair/open-page");
  private static final SqlFile REPAIRS = SqlFile.named("repair/repairs");
  private static final SqlFile INSERT = SqlFile.named("repair/insert");
  private static final SqlFile UPDATE = SqlFile.named("repair/update");
  private static final SqlFile FORGET = SqlFile.named("repair/forget");
  private static final SqlFile REPAIRERS = SqlFile.named("repair/repairers");
  private static final SqlFile PUT_REPAIRER = SqlFile.named("repair/put-repairer");
  private static final SqlFile DELETE_REPAIRER = SqlFile.named("repair/delete-repairer");
  private static final SqlFile OPEN_TASKS = SqlFile.named("repair/open-tasks");
  private static final SqlFile POWERED_OFF = SqlFile.named("repair/powered-off");
  private static final SqlFile TASKS = SqlFile.named("repair/tasks");
  private static final SqlFile INSERT_TASK = SqlFile.named("repair/insert-task");
  private static final SqlFile UPDATE_TASK = SqlFile.named("repair/update-task");
  private static final String CONTENT = "content";
  private static final String CLUSTER = "cluster";
  private static final String VERSION = "version";

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresRepairStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<Repair> open() {
    return read(jdbc.sql(OPEN.text()));
  }

  @Override
  public Optional<Repair> repair(RepairId id) {
    return read(jdbc.sql(ONE.text()).param("id", id.value())).stream().findFirst();
  }

  @Override
  public List<Repair> repairs(
      @Nullable NodeId node, boolean open, @Nullable RepairId before, int limit) {
    return read(
        jdbc.sql((open ? OPEN_PAGE : REPAIRS).text())
            .param("node", node == null ? null : node.value().toString())
            .param("before", before == null ? null : before.value().toString())
            .param("limit", limit));
  }

  private List<Repair> read(JdbcClient.StatementSpec statement) {
    return transactions.forAllTenants(() ->
        statement.query((row, n) -> Json.read(Columns.text(row, CONTENT), Repair.class)).list());
  }

  @Override
  public void insert(Repair repair) {
    written(repair, jdbc.sql(INSERT.text()).param("node", repair.node().value()));
  }

  @Override
  public void update(Repair repair) {
    written(repair.following(), jdbc.sql(UPDATE.text()));
  }

  private void written(Repair repair, JdbcClient.StatementSpec statement) {
    JdbcClient.StatementSpec full =
        statement
            .param("id", repair.id().value())
            .param("ended", Columns.parameter(repair.endedAt()))
            .param(CONTENT, Json.write(repair))
            .param(VERSION, repair.version());
    changed(full, repair.id().text());
  }

  private void changed(JdbcClient.StatementSpec statement, String what) {
    Conflict.unlessOne(transactions.forAllTenants(statement::update), Guard.VERSION, what);
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return transactions.forAllTenants(() ->
        jdbc.sql(FORGET.text())
            .param("before", Columns.parameter(endedBefore))
            .param("most", most)
            .update());
  }

  @Override
  public List<Repairer> repairers() {
    return repairers(null);
  }

  @Override
  public Optional<Repairer> repairer(ClusterId cluster) {
    return repairers(cluster).stream().findFirst();
  }

  private List<Repairer> repairers(@Nullable ClusterId cluster) {
    return transactions.forAllTenants(() ->
        jdbc.sql(REPAIRERS.text())
            .param(CLUSTER, cluster == null ? null : cluster.value().toString())
            .query((row, n) -> Json.read(Columns.text(row, CONTENT), Repairer.class))
            .list());
  }

  @Override
  public void put(Repairer repairer) {
    changed(
        jdbc.sql(PUT_REPAIRER.text())
            .param(CLUSTER, repairer.cluster().value())
            .param(CONTENT, Json.write(repairer))
            .param(VERSION, repairer.version()),
        repairer.cluster().text());
  }

  @Override
  public void delete(Repairer repairer) {
    changed(
        jdbc.sql(DELETE_REPAIRER.text())
            .param(CLUSTER, repairer.cluster().value())
            .param(VERSION, repairer.version()),
        repairer.cluster().text());
  }

  @Override
  public List<RepairTask> tasks() {
    return tasks(jdbc.sql(OPEN_TASKS.text()));
  }

  @Override
  public List<RepairTask> poweredOff(ClusterId cluster) {
    return tasks(jdbc.sql(POWERED_OFF.text()).param(CLUSTER, cluster.value())).stream()
        .filter(task -> task.confirmedOff() != null)
        .toList();
  }

  @Override
  public List<RepairTask> tasks(RepairId repair) {
    return tasks(jdbc.sql(TASKS.text()).param("repair", repair.value()));
  }

  private List<RepairTask> tasks(JdbcClient.StatementSpec statement) {
    return transactions.forAllTenants(() ->
        statement
            .query((row, n) -> Json.readFlat(Columns.text(row, CONTENT), RepairTask.class))
            .list());
  }

  @Override
  public void insert(RepairTask task) {
    changed(
        written(INSERT_TASK, task)
            .param("repair", task.repair().value())
            .param(CLUSTER, task.cluster().value())
            .param("node", task.node().value()),
        task.id().text());
  }

  @Override
  public void update(RepairTask task) {
    changed(written(UPDATE_TASK, task), task.id().text());
  }

  private JdbcClient.StatementSpec written(SqlFile statement, RepairTask task) {
    return jdbc.sql(statement.text())
        .param("id", task.id().value())
        .param("ended", Columns.parameter(task.endedAt()))
        .param(CONTENT, Json.flat(task).toString())
        .param(VERSION, task.version());
  }
}

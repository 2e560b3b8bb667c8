package dev.fairlead.care.healthtest.postgres;

import dev.fairlead.care.healthtest.HealthTest;
import dev.fairlead.care.healthtest.HealthTestRun;
import dev.fairlead.care.healthtest.HealthTestRunId;
import dev.fairlead.care.healthtest.HealthTestStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Preflight;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresHealthTestStore implements HealthTestStore {
  private static final SqlFile INSERT = SqlFile.named("healthtest/insert");
  private static final SqlFile UPDATE = SqlFile.named("healthtest/update");
  private static final SqlFile OPEN = SqlFile.named("healthtest/open");
  private static final SqlFile RUN = SqlFile.named("healthtest/run");
  private static final SqlFile PREFLIGHTS = SqlFile.named("healthtest/preflights");
  private static final SqlFile LAST = SqlFile.named("healthtest/last");
  private static final SqlFile RUNS = SqlFile.named("healthtest/runs");
  private static final SqlFile FORGET = SqlFile.named("healthtest/forget");
  private static final String CONTENT = "content";

  private final Transactions transactions;
  private final ConfigStore documents;
  private final JdbcClient jdbc;

  PostgresHealthTestStore(Transactions transactions, ConfigStore documents, JdbcClient jdbc) {
    this.transactions = transactions;
    this.documents = documents;
    this.jdbc = jdbc;
  }

  @Override
  public List<HealthTest> tests() {
    return documents.all(HealthTest.DOCUMENTS).stream().map(ConfigDocument::value).toList();
  }

  @Override
  public Optional<HealthTest> test(String name) {
    return documents.find(HealthTest.DOCUMENTS, null, name).map(ConfigDocument::value);
  }

  @Override
  public void insert(HealthTestRun run) {
    Constraints.unique(
        () ->
            one(
                written(run, jdbc.sql(INSERT.text()))
                    .param("test", run.test())
                    .param("node", run.node().value())
                    .param("wanted", wanted(run)),
                run),
        () -> new Conflict(Guard.VERSION, run.nodeName()));
  }

  private static @Nullable String wanted(HealthTestRun run) {
    return run.wanted() == null ? null : run.wanted().job().value().toString();
  }

  @Override
  public void update(HealthTestRun run) {
    one(written(run, jdbc.sql(UPDATE.text())), run);
  }

  private static JdbcClient.StatementSpec written(
      HealthTestRun run, JdbcClient.StatementSpec statement) {
    return statement
        .param("id", run.id().value())
        .param("ended", Columns.parameter(run.endedAt()))
        .param(CONTENT, Json.write(run));
  }

  private void one(JdbcClient.StatementSpec statement, HealthTestRun run) {
    Conflict.unlessOne(
        transactions.forAllTenants(statement::update), Guard.VERSION, run.nodeName());
  }

  @Override
  public List<HealthTestRun> open() {
    return runs(jdbc.sql(OPEN.text()));
  }

  @Override
  public Optional<HealthTestRun> run(HealthTestRunId id) {
    return runs(jdbc.sql(RUN.text()).param("id", id.value())).stream().findFirst();
  }

  @Override
  public List<Preflight> preflights(Instant endedAfter) {
    return runs(jdbc.sql(PREFLIGHTS.text()).param("after", Columns.parameter(endedAfter))).stream()
        .flatMap(run -> run.preflight().stream())
        .toList();
  }

  @Override
  public SortedMap<NodeId, HealthTestRun> last(String test) {
    SortedMap<NodeId, HealthTestRun> last = new TreeMap<>();
    runs(jdbc.sql(LAST.text()).param("test", test)).forEach(run -> last.put(run.node(), run));
    return last;
  }

  @Override
  public List<HealthTestRun> runs(
      @Nullable String test, @Nullable NodeId node, @Nullable HealthTestRunId before, int limit) {
    return runs(
        jdbc.sql(RUNS.text())
            .param("test", test)
            .param("node", node == null ? null : node.value().toString())
            .param("before", before == null ? null : before.value().toString())
            .param("limit", limit));
  }

  private List<HealthTestRun> runs(JdbcClient.StatementSpec statement) {
    return transactions.forAllTenants(() ->
        statement
            .query((row, n) -> Json.read(Columns.text(row, CONTENT), HealthTestRun.class))
            .list());
  }

  @Override
  public int forget(Instant endedBefore, int most) {
    return transactions.forAllTenants(
        jdbc.sql(FORGET.text()).param("before", Columns.parameter(endedBefore)).param("most", most)
            ::update);
  }
}

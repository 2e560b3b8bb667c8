package dev.fairlead.work.log.postgres;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.log.ChunkKey;
import dev.fairlead.work.log.LogChunk;
import dev.fairlead.work.log.LogMember;
import dev.fairlead.work.log.LogStore;
import dev.fairlead.work.log.MemberLog;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresLogStore implements LogStore {
  private static final SqlFile OF_ATTEMPTS = SqlFile.named("log/of-attempts");
  private static final SqlFile ONE = SqlFile.named("log/one");
  private static final SqlFile PARTS = SqlFile.named("log/parts");
  private static final SqlFile PUT_MEMBERS = SqlFile.named("log/put-members");
  private static final SqlFile INSERT_CHUNKS = SqlFile.named("log/insert-chunks");
  private static final SqlFile ADD_USE = SqlFile.named("log/add-use");
  private static final SqlFile USE_OF = SqlFile.named("log/use-of");
  private static final SqlFile ABANDONED = SqlFile.named("log/abandoned");
  private static final SqlFile ENDED_BEFORE = SqlFile.named("log/ended-before");
  private static final SqlFile OVER = SqlFile.named("log/over");
  private static final SqlFile TAKE_USE = SqlFile.named("log/take-use");
  private static final SqlFile DELETE_CHUNKS = SqlFile.named("log/delete-chunks");
  private static final SqlFile MARK_REMOVED = SqlFile.named("log/mark-removed");
  private static final SqlFile FORGET = SqlFile.named("log/forget");
  private static final SqlFile EMPTY = SqlFile.named("log/empty");
  private static final SqlFile NONCES = SqlFile.named("log/nonces");
  private static final SqlFile ADD_NONCE = SqlFile.named("log/add-nonce");
  private static final SqlFile UNKNOWN = SqlFile.named("log/unknown");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresLogStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<MemberLog> of(Collection<AttemptId> attempts) {
    return transactions.forAllTenants(() ->
        jdbc.sql(OF_ATTEMPTS.text())
            .param("attempts", uuids(attempts))
            .query((row, number) -> LogRows.log(row))
            .list());
  }

  @Override
  public void write(List<Step> steps) {
    transactions.forAllTenants(() ->
        run(PUT_MEMBERS, LogRows.members(steps))
            + run(INSERT_CHUNKS, LogRows.chunks(steps))
            + run(ADD_USE, LogRows.use(steps)));
  }

  private int run(SqlFile statement, RowBatch rows) {
    return rows.isEmpty() ? 0 : jdbc.sql(statement.text()).param("rows", rows.json()).update();
  }

  @Override
  public Optional<Whole> whole(TenantId tenant, AttemptId attempt, MemberKey member) {
    return transactions.inTenant(
        tenant,
        () ->
            keyed(ONE, tenant, attempt, member)
                .query((row, number) -> LogRows.log(row))
                .optional()
                .map(log -> new Whole(log, parts(tenant, attempt, member))));
  }

  private List<LogChunk> parts(TenantId tenant, AttemptId attempt, MemberKey member) {
    return keyed(PARTS, tenant, attempt, member).query((row, number) -> LogRows.part(row)).list();
  }

  private JdbcClient.StatementSpec keyed(
      SqlFile statement, TenantId tenant, AttemptId attempt, MemberKey member) {
    return jdbc.sql(statement.text())
        .param("tenant", tenant.value())
        .param("attempt", attempt.value())
        .param("role", member.role())
        .param("idx", member.index())
        .param("incarnation", member.incarnation());
  }

  @Override
  public SortedMap<ProjectId, Long> stored(Collection<ProjectId> projects) {
    SortedMap<ProjectId, Long> stored = new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
    transactions.forAllTenants(() -> {
      jdbc.sql(USE_OF.text())
          .param("projects", uuids(projects))
          .query(row -> {
            stored.put(new ProjectId(Columns.uuid(row, "project")), row.getLong("stored"));
          });
      return true;
    });
    return stored;
  }

  @Override
  public List<MemberLog> abandoned(int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(ABANDONED.text())
            .param("limit", limit)
            .query((row, number) -> LogRows.log(row))
            .list());
  }

  @Override
  public List<MemberLog> endedBefore(Duration age, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(ENDED_BEFORE.text())
            .param("seconds", age.toSeconds())
            .param("limit", limit)
            .query((row, number) -> LogRows.log(row))
            .list());
  }

  @Override
  public List<MemberLog> over(long bytesOfProject, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(OVER.text())
            .param("most", bytesOfProject)
            .param("limit", limit)
            .query((row, number) -> LogRows.log(row))
            .list());
  }

  @Override
  public boolean empty() {
    return transactions.forAllTenants(() -> jdbc.sql(EMPTY.text()).query(Boolean.class).single());
  }

  @Override
  public List<String> nonces() {
    return transactions.forAllTenants(() -> jdbc.sql(NONCES.text()).query(String.class).list());
  }

  @Override
  public void addNonce(String nonce) {
    int _ =
        transactions.forAllTenants(() ->
            jdbc.sql(ADD_NONCE.text()).param("nonce", nonce).param("most", MOST_NONCES).update());
  }

  @Override
  public List<LogChunk> parts(LogMember of) {
    return transactions.inTenant(of.tenant(), () -> parts(of.tenant(), of.attempt(), of.member()));
  }

  @Override
  public void removed(List<LogMember> logs, MemberLog.Removal why) {
    RowBatch rows = LogRows.keys(logs);
    transactions.forAllTenants(() ->
        run(TAKE_USE, rows)
            + run(DELETE_CHUNKS, rows)
            + jdbc.sql(MARK_REMOVED.text())
                .param("rows", rows.json())
                .param("why", why.name())
                .update());
  }

  @Override
  public int forget(Duration age, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(FORGET.text()).param("seconds", age.toSeconds()).param("limit", limit).update());
  }

  @Override
  public List<ChunkKey> unknown(List<ChunkKey> keys) {
    return transactions.forAllTenants(() ->
        jdbc
            .sql(UNKNOWN.text())
            .param("rows", LogRows.chunkKeys(keys).json())
            .query(Integer.class)
            .list()
            .stream()
            .map(keys::get)
            .toList());
  }

  private static UUID[] uuids(Collection<? extends Id> ids) {
    return ids.stream().map(Id::value).toArray(UUID[]::new);
  }
}

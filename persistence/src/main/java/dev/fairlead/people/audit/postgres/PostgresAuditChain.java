package dev.fairlead.people.audit.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.ChainContent;
import dev.fairlead.people.audit.chain.ChainHead;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPage;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import dev.fairlead.people.audit.chain.Digest;
import dev.fairlead.people.audit.chain.SealedRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link AuditChain} on PostgreSQL. Links are added as {@code fairlead_sealer}, the only role with
 * that permission, and no role of the service may change or delete one. Rows are read in their
 * stored form.
 */
@Component
class PostgresAuditChain implements AuditChain {
  /** Number of stored heads. Newer heads cover earlier ones. */
  private static final int HEADS = 10;

  /** Rows of one read. Each may list the jobs of a batch. */
  private static final int FETCHED = 100;

  private static final SqlFile LAST = SqlFile.named("audit/last-link");
  private static final SqlFile LINK = SqlFile.named("audit/link");
  private static final SqlFile LINKS = SqlFile.named("audit/links-of-page");
  private static final SqlFile END = SqlFile.named("audit/end-of-chain");
  private static final SqlFile HEAD = SqlFile.named("audit/last-head");
  private static final SqlFile UNSEALED = SqlFile.named("audit/unsealed-rows");
  private static final SqlFile ROWS = SqlFile.named("audit/rows-behind");
  private static final SqlFile WAITING = SqlFile.named("audit/waiting-rows");
  private static final SqlFile SEALER = SqlFile.named("audit/become-sealer");
  private static final SqlFile INSERT_LINK = SqlFile.named("audit/insert-link");
  private static final SqlFile INSERT_HEAD = SqlFile.named("audit/insert-head");
  private static final SqlFile HEADS_AHEAD = SqlFile.named("audit/remove-heads-ahead");
  private static final SqlFile OLD_HEADS = SqlFile.named("audit/remove-old-heads");
  private static final SqlFile HORIZON = SqlFile.named("audit/horizon");
  private static final HexFormat HEX = HexFormat.of();
  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresAuditChain(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public Optional<ChainLink> last() {
    return transactions.forAllTenants(
        () -> jdbc.sql(LAST.text()).query(PostgresAuditChain::link).optional());
  }

  @Override
  public Optional<ChainLink> link(long sequence) {
    return transactions.forAllTenants(() ->
        jdbc.sql(LINK.text())
            .param("sequence", sequence)
            .query(PostgresAuditChain::link)
            .optional());
  }

  @Override
  public Optional<ChainHead> newestHead() {
    return transactions.forAllTenants(() -> Optional.ofNullable(head()));
  }

  @Override
  public ChainPosition horizon() {
    return transactions.forAllTenants(
        () -> jdbc.sql(HORIZON.text()).query((row, n) -> position(row)).single());
  }

  @Override
  public List<ChainRow> unsealed(ChainPosition after, int limit) {
    return transactions.forAllTenants(() ->
        behind(jdbc.sql(UNSEALED.text()), after)
            .withFetchSize(FETCHED)
            .param("limit", limit)
            .query(PostgresAuditChain::row)
            .list());
  }

  @Override
  public void append(ChainLink link, ChainHead head) {
    transactions.run(() -> {
      String _ = jdbc.sql(SEALER.text()).query(String.class).single();
      insert(link);
      /* A removed part of the chain left heads behind, which would remain the newest. */
      jdbc.sql(HEADS_AHEAD.text()).param("sequence", link.first()).update();
      jdbc.sql(INSERT_HEAD.text())
          .param("sequence", head.sequence())
          .param("link", head.link().hex())
          .param("signature", head.signature().hex())
          .update();
      jdbc.sql(OLD_HEADS.text()).param("kept", HEADS).update();
    });
  }

  private void insert(ChainLink link) {
    List<SealedRow> rows = link.rows();
    int inserted =
        behind(jdbc.sql(INSERT_LINK.text()), link.position())
            .param("sequence", link.sequence())
            .param("first", link.first())
            .param("at", link.at().toString())
            .param("content", link.content().hex())
            .param("previous", link.previous().hex())
            .param("signature", link.signature().hex())
            .param("batch", rows.size() == 1 ? null : HEX.formatHex(SealedRow.bytes(rows)))
            .update();
    if (inserted == 0) {
      throw new IllegalStateException("row " + link.first() + " of the audit is sealed already");
    }
  }

  @Override
  public ChainPage page(long after, int limit) {
    return transactions.readForAllTenants(() -> {
      List<ChainLink> found =
          jdbc.sql(LINKS.text())
              .param("after", after)
              .param("limit", limit)
              .query(PostgresAuditChain::link)
              .list();
      boolean begun = !found.isEmpty() && found.getFirst().sequence() <= after;
      ChainLink before = begun ? found.getFirst() : null;
      List<ChainLink> links = found.subList(begun ? 1 : 0, found.size());
      int sealed = links.stream().mapToInt(link -> link.rows().size()).sum();
      List<ChainRow> rows =
          behind(jdbc.sql(ROWS.text()), before == null ? ChainPosition.START : before.position())
              .withFetchSize(FETCHED)
              .param("limit", sealed + 1)
              .query(PostgresAuditChain::row)
              .list();
      long end = jdbc.sql(END.text()).query(Long.class).single();
      boolean all = found.isEmpty() || found.getLast().sequence() == end;
      return new ChainPage(before, links, rows, head(), all);
    });
  }

  private @Nullable ChainHead head() {
    return jdbc.sql(HEAD.text())
        .query((row, n) ->
            new ChainHead(row.getLong("sequence"), digest(row, "link"), digest(row, "signature")))
        .optional()
        .orElse(null);
  }

  @Override
  public Waiting waiting(ChainPosition after) {
    return transactions.forAllTenants(() ->
        behind(jdbc.sql(WAITING.text()), after)
            .param("limit", Waiting.MOST)
            .query(
                (row, n) -> new Waiting(row.getInt("rows"), Columns.instantOrNull(row, "oldest")))
            .single());
  }

  private static JdbcClient.StatementSpec behind(
      JdbcClient.StatementSpec statement, ChainPosition position) {
    return statement
        .param("incarnation", position.incarnation())
        .param("xid", Long.toString(position.transaction()))
        .param("seq", position.row());
  }

  private static ChainLink link(ResultSet row, int number) throws SQLException {
    ChainPosition position = position(row);
    Instant at = Columns.instant(row, "at");
    Digest content = digest(row, "content");
    byte[] batch = row.getBytes("batch");
    return new ChainLink(
        row.getLong("sequence"),
        position,
        at,
        content,
        digest(row, "previous"),
        digest(row, "signature"),
        batch == null ? List.of(new SealedRow(position, at, content)) : SealedRow.of(batch));
  }

  private static ChainRow row(ResultSet row, int number) throws SQLException {
    ChainPosition position = position(row);
    Instant at = Columns.instant(row, "at");
    String content =
        new ChainContent(position, at)
            .with("tenant", Columns.text(row, "tenant"))
            .with("actor", Columns.text(row, "actor"))
            .with("administrator", row.getBoolean("administrator"))
            .with("operation", Columns.text(row, "operation"))
            .with("subject", Columns.text(row, "subject"))
            .with("allowed", row.getBoolean("allowed"))
            .with("count", row.getInt("count"))
            .with("requestId", row.getString("request_id"))
            .with("address", row.getString("address"))
            .with("detail", Columns.text(row, "detail"))
            .text();
    return new ChainRow(position, at, content);
  }

  private static ChainPosition position(ResultSet row) throws SQLException {
    return new ChainPosition(row.getInt("incarnation"), row.getLong("xid"), row.getLong("seq"));
  }

  private static Digest digest(ResultSet row, String column) throws SQLException {
    return Digest.of(row.getBytes(column));
  }
}

package dev.fairlead.kernel.lease.postgres;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowLevelSecurity;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.postgres.TransactionScope;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link LeaseStore} on PostgreSQL. Each call is one statement in its own transaction, independent
 * of the caller's. Only audited changes, the incarnation and a removal, join the caller's
 * transaction.
 */
@Component
@DependsOnDatabaseInitialization
class PostgresLeaseStore implements LeaseStore {
  private static final SqlFile INSTALLATION = SqlFile.named("lease/installation");
  private static final SqlFile RAISE = SqlFile.named("lease/raise-incarnation");
  private static final SqlFile READ = SqlFile.named("lease/read-lease");
  private static final SqlFile NAMES = SqlFile.named("lease/names");
  private static final SqlFile CREATE = SqlFile.named("lease/create-lease");
  private static final SqlFile TAKE_OVER = SqlFile.named("lease/take-over-lease");
  private static final SqlFile RENEW = SqlFile.named("lease/renew-lease");
  private static final SqlFile REMOVE_FENCE = SqlFile.named("lease/remove-fence");
  private static final SqlFile REMOVE = SqlFile.named("lease/remove-lease");
  private static final SqlFile RELEASE = SqlFile.named("lease/release-lease");

  private final JdbcClient jdbc;
  private final JdbcClient joining;
  private final RowLevelSecurity security;
  private final HolderSession session;
  private volatile @Nullable Installation known;

  PostgresLeaseStore(
      LeasePool pool, JdbcClient joining, RowLevelSecurity security, HolderSession session) {
    this.session = session;
    this.jdbc = pool.jdbc();
    this.joining = joining;
    this.security = security;
  }

  @Override
  public Installation installation() {
    Installation installation = known;
    if (installation == null) {
      installation = read();
      known = installation;
    }
    return installation;
  }

  @Override
  public int incarnation() {
    return read().incarnation();
  }

  private Installation read() {
    return jdbc.sql(INSTALLATION.text())
        .query((row, n) -> new Installation(Columns.uuid(row, "id"), row.getInt("incarnation")))
        .single();
  }

  @Override
  public boolean raiseIncarnation(int from) {
    boolean raised =
        joined(sql -> sql.sql(RAISE.text()).param("from", from).query(Integer.class).optional())
            .isPresent();
    known = null;
    return raised;
  }

  @Override
  public Optional<LeaseRow> read(String name) {
    return jdbc.sql(READ.text())
        .param("name", name)
        .query((row, n) ->
            new LeaseRow(
                name,
                Columns.text(row, "holder"),
                row.getLong("epoch"),
                row.getLong("renewals"),
                row.getLong("watermark"),
                row.getBoolean("released"),
                row.getBoolean("orphaned")))
        .optional();
  }

  @Override
  public List<String> names() {
    return jdbc.sql(NAMES.text()).query(String.class).list();
  }

  @Override
  public Optional<HeldLease> create(String name, String holder) {
    return jdbc.sql(CREATE.text())
        .param("name", name)
        .param("holder", holder)
        .param("session", session.key(), Types.BIGINT)
        .query((row, n) -> taken(name, holder, row))
        .optional();
  }

  @Override
  public Optional<HeldLease> takeOver(LeaseRow seen, String holder) {
    return jdbc.sql(TAKE_OVER.text())
        .param("name", seen.name())
        .param("epoch", seen.epoch())
        .param("renewals", seen.renewals())
        .param("holder", holder)
        .param("session", session.key(), Types.BIGINT)
        .query((row, n) -> taken(seen.name(), holder, row))
        .optional();
  }

  private static HeldLease taken(String name, String holder, ResultSet row) throws SQLException {
    return new HeldLease(name, holder, row.getLong("epoch"), 0, row.getLong("watermark"));
  }

  @Override
  public Optional<HeldLease> renew(HeldLease lease, boolean raise) {
    return jdbc.sql(RENEW.text())
        .param("name", lease.name())
        .param("epoch", lease.epoch())
        .param("step", raise ? 1 : 0)
        .param("session", session.key(), Types.BIGINT)
        .query((row, n) ->
            new HeldLease(
                lease.name(),
                lease.holder(),
                lease.epoch(),
                row.getLong("renewals"),
                row.getLong("watermark")))
        .optional();
  }

  @Override
  public void release(HeldLease lease) {
    jdbc.sql(RELEASE.text()).param("name", lease.name()).param("epoch", lease.epoch()).update();
  }

  @Override
  public void remove(String name) {
    int _ =
        joined(sql ->
            sql.sql(REMOVE_FENCE.text()).param("name", name).update()
                + sql.sql(REMOVE.text()).param("name", name).update());
  }

  /**
   * Leases belong to no tenant, so the caller's transaction acts for all tenants during this work.
   */
  private <T> T joined(Function<JdbcClient, T> work) {
    TransactionScope scope = TransactionScope.current();
    if (scope == null || scope.acrossTenants()) {
      return work.apply(scope == null ? jdbc : joining);
    }
    UUID tenant = scope.tenant();
    security.bypass(scope);
    T done = work.apply(joining);
    security.restore(scope, tenant);
    return done;
  }

  @Override
  public void whenSessionEnds(Runnable listener) {
    session.whenEnded(listener);
  }
}

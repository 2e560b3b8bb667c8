package dev.fairlead.lease.postgres;

import dev.fairlead.lease.HeldLease;
import dev.fairlead.lease.Installation;
import dev.fairlead.lease.LeaseRow;
import dev.fairlead.lease.LeaseStore;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.SqlFile;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@link LeaseStore} on PostgreSQL. Each call is one statement and its own transaction, whatever
 * the caller has open.
 */
@Component
@DependsOnDatabaseInitialization
class PostgresLeaseStore implements LeaseStore {
  private static final SqlFile INSTALLATION = SqlFile.named("lease/installation");
  private static final SqlFile RAISE = SqlFile.named("lease/raise-incarnation");
  private static final SqlFile READ = SqlFile.named("lease/read-lease");
  private static final SqlFile CREATE = SqlFile.named("lease/create-lease");
  private static final SqlFile TAKE_OVER = SqlFile.named("lease/take-over-lease");
  private static final SqlFile RENEW = SqlFile.named("lease/renew-lease");
  private static final SqlFile RELEASE = SqlFile.named("lease/release-lease");

  private final JdbcClient jdbc;
  private volatile @Nullable Installation known;

  PostgresLeaseStore(LeasePool pool) {
    this.jdbc = pool.jdbc();
  }

  @Override
  public Installation installation() {
    Installation installation = known;
    if (installation == null) {
      installation =
          jdbc.sql(INSTALLATION.text())
              .query(
                  (row, n) -> new Installation(Columns.uuid(row, "id"), row.getInt("incarnation")))
              .single();
      known = installation;
    }
    return installation;
  }

  @Override
  public boolean raiseIncarnation(int from) {
    boolean raised =
        jdbc.sql(RAISE.text()).param("from", from).query(Integer.class).optional().isPresent();
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
                row.getLong("term"),
                row.getLong("renewals"),
                row.getBoolean("released")))
        .optional();
  }

  @Override
  public Optional<HeldLease> create(String name, String holder) {
    return jdbc.sql(CREATE.text())
        .param("name", name)
        .param("holder", holder)
        .query(Long.class)
        .optional()
        .map(term -> new HeldLease(name, holder, term, 0));
  }

  @Override
  public Optional<HeldLease> takeOver(LeaseRow seen, String holder) {
    return jdbc.sql(TAKE_OVER.text())
        .param("name", seen.name())
        .param("term", seen.term())
        .param("renewals", seen.renewals())
        .param("holder", holder)
        .query(Long.class)
        .optional()
        .map(term -> new HeldLease(seen.name(), holder, term, 0));
  }

  @Override
  public Optional<HeldLease> renew(HeldLease lease) {
    return jdbc.sql(RENEW.text())
        .param("name", lease.name())
        .param("term", lease.term())
        .query(Long.class)
        .optional()
        .map(renewals -> new HeldLease(lease.name(), lease.holder(), lease.term(), renewals));
  }

  @Override
  public void release(HeldLease lease) {
    jdbc.sql(RELEASE.text()).param("name", lease.name()).param("term", lease.term()).update();
  }
}

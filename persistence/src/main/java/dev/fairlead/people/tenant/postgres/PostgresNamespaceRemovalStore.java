package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.NamespaceRemoval;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresNamespaceRemovalStore implements NamespaceRemovalStore {
  private static final SqlFile OF_TENANT = SqlFile.named("tenant/want-removals-of-tenant");
  private static final SqlFile OF_PROJECT = SqlFile.named("tenant/want-removals-of-project");
  private static final SqlFile DUE = SqlFile.named("tenant/due-removals");
  private static final SqlFile LATER = SqlFile.named("tenant/removal-later");
  private static final SqlFile DONE = SqlFile.named("tenant/removal-done");
  private static final SqlFile LEFT = SqlFile.named("tenant/left-removals");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresNamespaceRemovalStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void want(TenantId tenant) {
    int _ =
        transactions.forAllTenants(
            () -> jdbc.sql(OF_TENANT.text()).param("tenant", tenant.value()).update());
  }

  @Override
  public void want(Project project) {
    transactions.runInTenant(
        project.tenant(),
        () -> {
          jdbc.sql(OF_PROJECT.text())
              .param("namespace", project.namespace())
              .param("project", project.id().value())
              .param("tenant", project.tenant().value())
              .update();
        });
  }

  @Override
  public List<NamespaceRemoval> due(ClusterId cluster, int most) {
    return transactions.forAllTenants(() ->
        jdbc.sql(DUE.text())
            .param("cluster", cluster.value())
            .param("most", most)
            .query((row, n) -> removal(row))
            .list());
  }

  @Override
  public void later(NamespaceRemoval removal, String why, Duration pause) {
    int _ =
        transactions.forAllTenants(() ->
            of(LATER, removal).param("why", why).param("seconds", pause.toSeconds()).update());
  }

  @Override
  public void done(NamespaceRemoval removal) {
    int _ = transactions.forAllTenants(() -> of(DONE, removal).update());
  }

  private JdbcClient.StatementSpec of(SqlFile file, NamespaceRemoval removal) {
    return jdbc.sql(file.text())
        .param("cluster", removal.cluster().value())
        .param("namespace", removal.namespace())
        .param("project", removal.project().value());
  }

  @Override
  public List<NamespaceRemoval> left(int tries, int most) {
    return transactions.forAllTenants(() ->
        jdbc.sql(LEFT.text())
            .param("tries", tries)
            .param("most", most)
            .query((row, n) -> removal(row))
            .list());
  }

  private static NamespaceRemoval removal(ResultSet row) throws SQLException {
    return new NamespaceRemoval(
        new ClusterId(Columns.uuid(row, "cluster")),
        Columns.text(row, "namespace"),
        new TenantId(Columns.uuid(row, "tenant")),
        new ProjectId(Columns.uuid(row, "project")),
        Columns.instant(row, "since"),
        row.getInt("tries"),
        row.getString("why"));
  }
}

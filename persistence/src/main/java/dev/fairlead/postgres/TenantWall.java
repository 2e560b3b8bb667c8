package dev.fairlead.postgres;

import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The second wall between tenants. Connections run as {@code fairlead_loops}, which sees all
 * tenants. As soon as a transaction without a fence touches a tenant's rows it steps down to {@code
 * fairlead_app} for that tenant, and row-level security hides everything else from whatever it asks
 * next, until it ends or asks for what is of all tenants. Transactions of a lease holder act for
 * all tenants and stay as they are.
 */
@Component
public class TenantWall {
  private static final SqlFile ENTER = SqlFile.named("postgres/enter-tenant");
  private static final SqlFile LEAVE = SqlFile.named("postgres/leave-tenant");
  private final JdbcClient jdbc;

  public TenantWall(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Steps down in the open transaction; does nothing outside of one, where a statement stands for
   * itself.
   */
  public void enter(UUID tenant) {
    TransactionScope scope = TransactionScope.current();
    if (scope == null || scope.fenced() || tenant.equals(scope.tenant())) {
      return;
    }
    jdbc.sql(ENTER.text()).param("tenant", tenant.toString()).query(String.class).single();
    scope.tenant(tenant);
  }

  /**
   * To be called by what acts for all tenants: a transaction that has stepped down steps up again.
   */
  public void acrossTenants() {
    TransactionScope scope = TransactionScope.current();
    if (scope != null && scope.tenant() != null) {
      jdbc.sql(LEAVE.text()).query(String.class).single();
      scope.tenant(null);
    }
  }
}

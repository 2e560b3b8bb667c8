package dev.fairlead.kernel.postgres;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The second layer of tenant isolation. Connections run as {@code fairlead_app}, for which
 * row-level security shows only the rows of one tenant, which a transaction sets before its first
 * statement on such rows. The database refuses such a statement in a transaction without a tenant,
 * and outside a transaction. Work for all tenants, such as loops, sets that instead, and runs as
 * {@code fairlead_loops}.
 */
@Component
public class RowLevelSecurity {
  private static final SqlFile ENTER = SqlFile.named("postgres/enter-tenant");
  private static final SqlFile ENTER_FROM_LOOPS = SqlFile.named("postgres/enter-from-loops");
  private static final SqlFile LEAVE = SqlFile.named("postgres/leave-tenant");

  /** A value that is not an id, so a policy that reads it fails with an error that shows it. */
  private static final String NONE = "no tenant is stated";

  private final JdbcClient jdbc;

  public RowLevelSecurity(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Runs before the first statement of a transaction for a single tenant: on a connection of loops
   * it then has the role and the plans of request connections.
   */
  public void begin(TransactionScope scope) {
    if (scope.acrossTenants()) {
      jdbc.sql(ENTER_FROM_LOOPS.text()).param("tenant", NONE).query(String.class).single();
      scope.enter(null);
    }
  }

  /** Sets the tenant of the open transaction. A transaction for all tenants is unchanged. */
  public void setTenant(UUID tenant) {
    TransactionScope scope = TransactionScope.current();
    if (scope != null && !scope.acrossTenants() && !tenant.equals(scope.tenant())) {
      state(scope, tenant);
    }
  }

  /** Sets the open transaction to act for all tenants. */
  public void bypass(TransactionScope scope) {
    if (!scope.acrossTenants()) {
      jdbc.sql(LEAVE.text()).query(String.class).single();
      scope.leave();
    }
  }

  /**
   * Ends the scope of {@link #bypass}.
   *
   * @param tenant tenant before that scope, null if none
   */
  public void restore(TransactionScope scope, @Nullable UUID tenant) {
    state(scope, tenant);
  }

  private void state(TransactionScope scope, @Nullable UUID tenant) {
    String stated = tenant == null ? NONE : tenant.toString();
    jdbc.sql(ENTER.text())
        .param("tenant", stated)
        .param("plans", plans(scope))
        .query(String.class)
        .single();
    scope.enter(tenant);
  }

  /**
   * A command repeats a few statements with other keys, so plans are cached for the time of {@link
   * PlanCacheExpiry}. Reads have filters whose values decide the plan, and a connection of loops
   * has plans of another role.
   */
  private static String plans(TransactionScope scope) {
    return scope.ofLoops() || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
        ? "force_custom_plan"
        : "auto";
  }
}

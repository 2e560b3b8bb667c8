package dev.fairlead.kernel.postgres;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The second wall between tenants. Connections run as {@code fairlead_app}, to which row-level
 * security shows the rows of one tenant: the one that a transaction states before its first
 * statement about such rows. A transaction that states none is refused by the database at that
 * statement, and so is a statement outside of a transaction. What acts for all tenants, as loops
 * do, states that instead, and runs as {@code fairlead_loops}.
 */
@Component
public class RowLevelSecurity {
  private static final SqlFile ENTER = SqlFile.named("postgres/enter-tenant");
  private static final SqlFile ENTER_FROM_LOOPS = SqlFile.named("postgres/enter-from-loops");
  private static final SqlFile LEAVE = SqlFile.named("postgres/leave-tenant");

  /** No id, so that a policy that reads it fails; the error shows it. */
  private static final String NONE = "no tenant is stated";

  private final JdbcClient jdbc;

  public RowLevelSecurity(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * Before the first statement of a transaction that does not act for all tenants: on a connection
   * of loops it has the role and the plans of those of requests.
   */
  public void begin(TransactionScope scope) {
    if (scope.acrossTenants()) {
      jdbc.sql(ENTER_FROM_LOOPS.text()).param("tenant", NONE).query(String.class).single();
      scope.enter(null);
    }
  }

  /** States the tenant of the open transaction; one that acts for all tenants stays as it is. */
  public void enter(UUID tenant) {
    TransactionScope scope = TransactionScope.current();
    if (scope != null && !scope.acrossTenants() && !tenant.equals(scope.tenant())) {
      state(scope, tenant);
    }
  }

  /** States that the open transaction acts for all tenants. */
  public void leave(TransactionScope scope) {
    if (!scope.acrossTenants()) {
      jdbc.sql(LEAVE.text()).query(String.class).single();
      scope.leave();
    }
  }

  /**
   * Ends what {@link #leave} began.
   *
   * @param tenant stated before that, null for none
   */
  public void comeBack(TransactionScope scope, @Nullable UUID tenant) {
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
   * A command runs a few statements by keys again and again: their plans are kept, for as long as
   * {@link PlansOfOneAge} says. Reads have filters whose values decide the plan, and a connection
   * of loops has plans of another role.
   */
  private static String plans(TransactionScope scope) {
    return scope.ofLoops() || TransactionSynchronizationManager.isCurrentTransactionReadOnly()
        ? "force_custom_plan"
        : "auto";
  }
}

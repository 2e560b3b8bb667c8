package dev.fairlead.kernel.postgres;

import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Refuses to start if the effective role of request connections can see more than one tenant, since
 * the second layer of isolation would have no effect. Connections of loops have another role and
 * the same limits.
 */
@Component
@DependsOnDatabaseInitialization
class RoleCheck implements InitializingBean {
  private static final SqlFile EFFECTIVE_ROLE = SqlFile.named("postgres/effective-role");
  private static final String LOOPS = "fairlead_loops";
  private final JdbcClient requests;
  private final JdbcClient loops;

  RoleCheck(JdbcClient requests, @Qualifier(LoopPool.NAME) DataSource loops) {
    this.requests = requests;
    this.loops = JdbcClient.create(loops);
  }

  /**
   * @param name effective role, not the login
   * @param bypasses whether the role bypasses row-level security
   * @param unstated whether the role sees all tenants in a transaction without a tenant
   * @param bounded whether statements and transactions have timeouts
   */
  private record EffectiveRole(String name, boolean bypasses, boolean unstated, boolean bounded) {}

  @Override
  public void afterPropertiesSet() {
    EffectiveRole role = of(requests);
    if (role.bypasses() || role.unstated()) {
      throw new IllegalStateException(
          "the database role in effect, "
              + role.name()
              + (role.bypasses()
                  ? ", bypasses row-level security"
                  : ", sees the rows of all tenants")
              + ". Connections must run as fairlead_app"
              + " (spring.datasource.hikari.connection-init-sql).");
    }
    checkLimits(role);
    EffectiveRole loop = of(loops);
    if (loop.bypasses() || !loop.name().equals(LOOPS)) {
      throw new IllegalStateException(
          "the effective database role on loop connections is "
              + loop.name()
              + ". It must be "
              + LOOPS
              + ", which must be subject to row-level security.");
    }
    checkLimits(loop);
  }

  private static EffectiveRole of(JdbcClient connections) {
    return connections.sql(EFFECTIVE_ROLE.text()).query(EffectiveRole.class).single();
  }

  private static void checkLimits(EffectiveRole role) {
    if (!role.bounded()) {
      throw new IllegalStateException(
          "connections of "
              + role.name()
              + " have no statement_timeout, transaction_timeout or"
              + " idle_in_transaction_session_timeout");
    }
  }
}

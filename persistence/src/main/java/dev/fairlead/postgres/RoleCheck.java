package dev.fairlead.postgres;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Refuses to start on connections whose effective role sees more than one tenant: the second wall
 * would be painted on.
 */
@Component
@DependsOnDatabaseInitialization
class RoleCheck implements InitializingBean {
  private static final SqlFile EFFECTIVE_ROLE = SqlFile.named("postgres/effective-role");
  private final JdbcClient jdbc;

  RoleCheck(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * @param name the role in effect, not the login
   * @param bypasses whether row-level security does not hold it
   * @param unstated whether it sees all tenants where a transaction states nothing
   * @param bounded whether statements and transactions end by themselves
   */
  private record EffectiveRole(String name, boolean bypasses, boolean unstated, boolean bounded) {}

  @Override
  public void afterPropertiesSet() {
    EffectiveRole role = jdbc.sql(EFFECTIVE_ROLE.text()).query(EffectiveRole.class).single();
    if (role.bypasses() || role.unstated()) {
      throw new IllegalStateException(
          "the database role in effect, "
              + role.name()
              + (role.bypasses()
                  ? ", bypasses row-level security"
                  : ", sees the rows of all tenants")
              + "; connections have to run as fairlead_app"
              + " (spring.datasource.hikari.connection-init-sql)");
    }
    if (!role.bounded()) {
      throw new IllegalStateException(
          "connections of "
              + role.name()
              + " have no statement_timeout, transaction_timeout or"
              + " idle_in_transaction_session_timeout");
    }
  }
}

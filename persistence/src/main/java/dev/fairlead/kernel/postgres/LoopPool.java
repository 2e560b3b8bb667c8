package dev.fairlead.kernel.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A connection pool for transactions of loops ({@code LoopWork}), separate from the pool of
 * requests. Its connections have the role of loops and cache plans. {@link PlanCacheExpiry} limits
 * the age of the plans. A transaction uses one connection from one of the pools, so neither pool
 * waits for the other.
 */
@Configuration(proxyBeanMethods = false)
class LoopPool {
  static final String NAME = "loopConnections";
  private static final String REQUESTS = "dataSource";
  private static final String HIKARI = "spring.datasource.hikari";
  private static final String INIT = "; SET ROLE fairlead_loops; SET plan_cache_mode = auto";

  /** Equal to the pool of requests except for its size and role. Connects at its first use. */
  @Bean(name = NAME, defaultCandidate = false)
  HikariDataSource pool(
      JdbcConnectionDetails database, DatabaseSettings settings, Environment environment) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.getJdbcUrl());
    pool.setUsername(database.getUsername());
    pool.setPassword(database.getPassword());
    Binder.get(environment).bind(HIKARI, Bindable.ofInstance(pool));
    pool.setPoolName(pool.getPoolName() + "-loops");
    pool.setMaximumPoolSize(settings.loopConnections());
    pool.setConnectionInitSql(pool.getConnectionInitSql() + INIT);
    return pool;
  }

  @Bean
  ConnectionCount connectionCount(DatabaseSettings settings, Environment environment) {
    return new ConnectionCount(
        environment.getRequiredProperty(HIKARI + ".maximum-pool-size", Integer.class),
        settings.loopConnections());
  }

  /** Selects the connection by the initiator of the transaction. */
  @Bean
  static BeanPostProcessor connectionsByRole(ConfigurableListableBeanFactory beans) {
    return new BeanPostProcessor() {
      @Override
      public Object postProcessAfterInitialization(Object bean, String name) {
        if (!name.equals(REQUESTS) || !(bean instanceof DataSource requests)) {
          return bean;
        }
        DataSource loops = beans.getBean(NAME, DataSource.class);
        beans.registerDependentBean(NAME, REQUESTS);
        return new ByRole(
            new PlanCacheExpiry(requests, System::nanoTime),
            new PlanCacheExpiry(loops, System::nanoTime));
      }
    };
  }

  /** Connections of requests, unless a loop began the open transaction. */
  private static final class ByRole extends DelegatingDataSource {
    private final DataSource loops;

    ByRole(DataSource requests, DataSource loops) {
      super(requests);
      this.loops = loops;
    }

    @Override
    public Connection getConnection() throws SQLException {
      TransactionScope scope = TransactionScope.current();
      return scope != null && scope.ofLoops() ? loops.getConnection() : super.getConnection();
    }
  }
}

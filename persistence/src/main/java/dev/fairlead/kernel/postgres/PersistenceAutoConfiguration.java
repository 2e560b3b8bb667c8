package dev.fairlead.kernel.postgres;

import dev.fairlead.kernel.identity.IdSource;
import java.time.InstantSource;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.PropertySource;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

/**
 * Provides the domain's ports on PostgreSQL. Every store is a component in the {@code postgres}
 * package of its feature. The connection is {@code FAIRLEAD_DB_URL}, {@code FAIRLEAD_DB_USER},
 * {@code FAIRLEAD_DB_PASSWORD} or Spring's {@code spring.datasource.*}.
 */
@AutoConfiguration(
    before = {DataSourceAutoConfiguration.class, HibernateJpaAutoConfiguration.class})
@PropertySource("classpath:fairlead-persistence.properties")
@EntityScan("dev.fairlead")
@ConfigurationPropertiesScan("dev.fairlead")
@EnableJpaRepositories("dev.fairlead")
@ComponentScan(
    basePackages = "dev.fairlead",
    excludeFilters =
        @ComponentScan.Filter(
            type = FilterType.REGEX,
            pattern =
                "^(?!dev\\.fairlead\\.([a-z]+\\.)*(postgres|encryption|directory)\\.)(.*)|.*AutoConfiguration$"))
public class PersistenceAutoConfiguration {
  private static final int CONNECT_RETRIES = 30;
  private static final int CONNECT_INTERVAL_SECONDS = 2;

  /**
   * Ids of rows that the stores create themselves. A source of the application takes precedence.
   */
  @Bean
  @ConditionalOnMissingBean
  IdSource timeOrderedIds() {
    return new TimeOrderedIds(InstantSource.system());
  }

  /**
   * Migrations run as the login itself, which owns the database, because the first migration
   * creates the pool's role. They wait for an unreachable database, but not for a long lock.
   */
  @Bean
  FlywayConfigurationCustomizer migrationsRunAsTheLogin(JdbcConnectionDetails database) {
    return (FluentConfiguration flyway) ->
        flyway
            .dataSource(database.getJdbcUrl(), database.getUsername(), database.getPassword())
            .connectRetries(CONNECT_RETRIES)
            .connectRetriesInterval(CONNECT_INTERVAL_SECONDS)
            .initSql("SET lock_timeout = '10s'");
  }

  /** Migrates, and reports a database of other migrations with the next step. */
  @Bean
  FlywayMigrationStrategy knownMigrations() {
    return flyway -> {
      try {
        int _ = flyway.migrate().migrationsExecuted;
      } catch (FlywayValidateException differs) {
        throw new UnfitDatabase(
            "The migrations of the database differ from those of this version: "
                + String.valueOf(differs.getMessage())
                    .lines()
                    .skip(1)
                    .findFirst()
                    .orElse("")
                    .strip(),
            "Start the version that last used this database, or a later one. A database of a"
                + " development version before the current baseline of migrations cannot be"
                + " migrated: use an empty database.",
            differs);
      }
    };
  }
}

package dev.fairlead.kernel.lease.postgres;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Settings that the lease pool shares with the main pool.
 *
 * @param connectionInitSql initial statements of every session
 */
@ConfigurationProperties("spring.datasource.hikari")
record PoolSettings(String connectionInitSql) {}

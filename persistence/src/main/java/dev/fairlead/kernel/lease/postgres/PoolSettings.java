package dev.fairlead.kernel.lease.postgres;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What the pool of leases shares with the main one.
 *
 * @param connectionInitSql rules of every session
 */
@ConfigurationProperties("spring.datasource.hikari")
record PoolSettings(String connectionInitSql) {}

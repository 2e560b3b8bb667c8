package dev.fairlead.kernel.lease.postgres;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Whether a process proves by a database session that it is alive.
 *
 * @param session false behind a pooler that assigns a different session to each transaction
 */
@ConfigurationProperties("fairlead.lease")
record LeaseSessionSettings(@DefaultValue("true") boolean session) {}

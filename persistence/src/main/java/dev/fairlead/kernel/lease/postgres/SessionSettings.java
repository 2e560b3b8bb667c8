package dev.fairlead.kernel.lease.postgres;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Whether a process shows by a session that it lives.
 *
 * @param session false behind a pooler that gives each transaction another session
 */
@ConfigurationProperties("fairlead.lease")
record SessionSettings(@DefaultValue("true") boolean session) {}

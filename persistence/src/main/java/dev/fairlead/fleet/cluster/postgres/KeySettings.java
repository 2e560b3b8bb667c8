package dev.fairlead.fleet.cluster.postgres;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where the key is.
 *
 * @param keyFile its path; empty for none
 */
@ConfigurationProperties("fairlead")
record KeySettings(@DefaultValue("") String keyFile) {}

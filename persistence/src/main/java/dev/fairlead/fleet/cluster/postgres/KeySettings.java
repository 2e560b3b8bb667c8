package dev.fairlead.fleet.cluster.postgres;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Location of the key.
 *
 * @param keyFile path of the key file, empty if none
 */
@ConfigurationProperties("fairlead")
record KeySettings(@DefaultValue("") String keyFile) {}

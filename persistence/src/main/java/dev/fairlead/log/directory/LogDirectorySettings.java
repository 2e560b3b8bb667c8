package dev.fairlead.log.directory;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where logs are kept.
 *
 * @param directory all processes need the same one; empty to keep none
 */
@ConfigurationProperties("fairlead.logs")
record LogDirectorySettings(@DefaultValue("") String directory) {}

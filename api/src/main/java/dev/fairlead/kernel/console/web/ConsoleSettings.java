package dev.fairlead.kernel.console.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties {@code fairlead.console.*}.
 *
 * @param enabled whether the service serves the console
 */
@ConfigurationProperties("fairlead.console")
record ConsoleSettings(@DefaultValue("true") boolean enabled) {}

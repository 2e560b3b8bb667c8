package dev.fairlead.work.workload.output;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/** Limits of logs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LogSettings.class)
class LogConfiguration {}

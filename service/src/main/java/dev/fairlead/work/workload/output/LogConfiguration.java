package dev.fairlead.work.workload.output;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/** Bounds of logs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LogSettings.class)
class LogConfiguration {}

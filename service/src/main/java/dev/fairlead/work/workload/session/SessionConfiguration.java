package dev.fairlead.work.workload.session;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/** Bounds of sessions. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(SessionSettings.class)
class SessionConfiguration {}

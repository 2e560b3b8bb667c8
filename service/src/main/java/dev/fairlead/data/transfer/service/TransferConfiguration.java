package dev.fairlead.data.transfer.service;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Configuration;

/** Settings of transfers. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TransferSettings.class)
class TransferConfiguration {}

package dev.fairlead.placement.service;

import dev.fairlead.placement.SchedulingEngine;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The engine as a bean. */
@Configuration(proxyBeanMethods = false)
class PlacementConfiguration {
  @Bean
  SchedulingEngine schedulingEngine() {
    return new SchedulingEngine();
  }
}

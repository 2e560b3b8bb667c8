package dev.fairlead.work.placement.service;

import dev.fairlead.work.placement.SchedulingEngine;
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

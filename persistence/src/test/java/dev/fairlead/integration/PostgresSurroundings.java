package dev.fairlead.integration;

import java.time.InstantSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the service in addition to those of the module. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class PostgresSurroundings {
  @Bean
  InstantSource clock(ObjectProvider<DatabaseClock> set) {
    DatabaseClock clock = set.getIfAvailable();
    return clock == null ? InstantSource.system() : clock::host;
  }
}

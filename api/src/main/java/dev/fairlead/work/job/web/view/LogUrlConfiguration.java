package dev.fairlead.work.job.web.view;

import java.time.InstantSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Operator settings for links to output. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LogUrlSettings.class)
class LogUrlConfiguration {
  @Bean
  LogUrls logUrls(LogUrlSettings settings, InstantSource clock) {
    return new LogUrls(settings, clock);
  }
}

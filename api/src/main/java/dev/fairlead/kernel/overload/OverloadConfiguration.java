package dev.fairlead.kernel.overload;

import dev.fairlead.fleet.limit.LimitSource;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Orders the filter after the authentication of the caller. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(OverloadSettings.class)
class OverloadConfiguration {
  private static final String CONNECTIONS = "spring.datasource.hikari.maximum-pool-size";
  private static final Logger LOG = LoggerFactory.getLogger(OverloadConfiguration.class);

  /**
   * Concurrent lookups in addition to the admitted requests: 3 of tokens, 3 of memberships, 1 of
   * mapped roles, 1 of limits.
   */
  private static final int LOOKUPS = 8;

  @Bean
  RequestBudgets requestBudgets(
      OverloadSettings settings, LimitSource limits, MeterRegistry metrics) {
    return new RequestBudgets(settings.requestsPerMinute(), limits, metrics);
  }

  @Bean
  FilterRegistrationBean<OverloadFilter> overloadFilter(
      RequestBudgets budgets,
      OverloadSettings settings,
      Environment environment,
      MeterRegistry metrics) {
    Integer connections = environment.getProperty(CONNECTIONS, Integer.class);
    String shortage =
        connections == null ? null : shortage(settings.concurrentRequests(), connections);
    if (shortage != null) {
      LOG.warn(shortage);
    }
    FilterRegistrationBean<OverloadFilter> filter =
        new FilterRegistrationBean<>(
            new OverloadFilter(
                budgets, settings.concurrentRequests(), settings.longestWait(), metrics));
    filter.addUrlPatterns("/api/*");
    filter.setOrder(0);
    return filter;
  }

  /**
   * Returns the warning for fewer connections than requests and lookups may need, null with enough.
   */
  static @Nullable String shortage(int concurrentRequests, int connections) {
    int most = concurrentRequests + LOOKUPS;
    return most <= connections
        ? null
        : ("%d concurrent requests (fairlead.api.concurrent-requests) and %d lookups of callers"
                + " and limits can use %d database connections, but the pool has %d. Under load"
                + " some requests fail with 503. Raise %s to %d.")
            .formatted(concurrentRequests, LOOKUPS, most, connections, CONNECTIONS, most);
  }
}

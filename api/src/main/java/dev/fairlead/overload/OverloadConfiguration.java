package dev.fairlead.overload;

import dev.fairlead.limit.LimitSource;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Places the filter behind the one that finds out who calls. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(OverloadSettings.class)
class OverloadConfiguration {
  @Bean
  RequestBudgets requestBudgets(
      OverloadSettings settings, LimitSource limits, MeterRegistry metrics) {
    return new RequestBudgets(settings.requestsPerMinute(), limits, metrics);
  }

  @Bean
  FilterRegistrationBean<OverloadFilter> overloadFilter(
      RequestBudgets budgets, OverloadSettings settings, MeterRegistry metrics) {
    FilterRegistrationBean<OverloadFilter> filter =
        new FilterRegistrationBean<>(
            new OverloadFilter(
                budgets, settings.concurrentRequests(), settings.longestWait(), metrics));
    filter.addUrlPatterns("/api/*");
    filter.setOrder(0);
    return filter;
  }
}

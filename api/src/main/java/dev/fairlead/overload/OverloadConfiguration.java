package dev.fairlead.overload;

import dev.fairlead.limit.LimitSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Places the filter behind the one that finds out who calls. */
@Configuration(proxyBeanMethods = false)
class OverloadConfiguration {
  @Bean
  RequestBudgets requestBudgets(
      @Value("${fairlead.api.requests-per-minute:30000}") int perMinute,
      LimitSource limits,
      MeterRegistry metrics) {
    return new RequestBudgets(perMinute, limits, metrics);
  }

  @Bean
  FilterRegistrationBean<OverloadFilter> overloadFilter(
      RequestBudgets budgets,
      @Value("${fairlead.api.concurrent-requests:12}") int concurrent,
      @Value("${fairlead.api.longest-wait:2s}") Duration longestWait,
      MeterRegistry metrics) {
    FilterRegistrationBean<OverloadFilter> filter =
        new FilterRegistrationBean<>(new OverloadFilter(budgets, concurrent, longestWait, metrics));
    filter.addUrlPatterns("/api/*");
    filter.setOrder(0);
    return filter;
  }
}

package dev.fairlead;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class PreparedContextTest {
  private static final String DEFAULTS =
      "Config resource 'class path resource [application.yaml]' via 'optional:classpath:/'";

  private final StandardEnvironment environment = new StandardEnvironment();

  /** Fails when a process with the documented configuration scans for beans. */
  @Test
  void settingsOfServiceAndChartEnableOrDisableNoBean() {
    packaged(Map.of("management.endpoints.access.default", "none", "spring.main.keep-alive", true));
    variables(
        Map.of(
            "FAIRLEAD_DB_URL", "jdbc:postgresql://db/fairlead",
            "FAIRLEAD_ROLES", "api",
            "MANAGEMENT_SERVER_PORT", "8081",
            "MANAGEMENT_SERVER_SSL_ENABLED", "false",
            "SERVER_SSL_CERTIFICATE", "/etc/tls.crt",
            "SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE", "30"));

    assertThat(deciding()).isEmpty();
  }

  /** Fails when a setting that a condition reads is ignored because the build had another value. */
  @ParameterizedTest
  @CsvSource({
    "SPRING_FLYWAY_ENABLED, spring.flyway.enabled",
    "SPRING_PROFILES_ACTIVE, spring.profiles.active",
    "MANAGEMENT_OTLP_METRICS_EXPORT_ENABLED, management.otlp.metrics.export.enabled",
    "SERVER_FORWARDHEADERSSTRATEGY, server.forwardheadersstrategy",
    "SERVER_FORWARD_HEADERS_STRATEGY, server.forward.headers.strategy",
    "SPRINGDOC_SWAGGERUI_ENABLED, springdoc.swaggerui.enabled"
  })
  void variableThatSwitchesABeanIsFound(String variable, String property) {
    packaged(Map.of("management.server.port", 8081));
    variables(Map.of(variable, "x"));

    assertThat(deciding()).contains(property);
  }

  /** Fails when health and metrics are expected on a second port that does not exist. */
  @ParameterizedTest
  @CsvSource({"8080", "-1"})
  void singlePortServesAllEndpoints(String port) {
    packaged(Map.of("server.port", 8080));
    variables(Map.of("MANAGEMENT_SERVER_PORT", port));

    assertThat(deciding()).contains("management.server.port");
  }

  private void packaged(Map<String, Object> properties) {
    environment.getPropertySources().addLast(new MapPropertySource(DEFAULTS, properties));
  }

  private void variables(Map<String, Object> variables) {
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
  }

  private Optional<String> deciding() {
    ConfigurationPropertySources.attach(environment);
    return PreparedContext.deciding(environment);
  }
}

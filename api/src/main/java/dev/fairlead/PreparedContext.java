package dev.fairlead;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.commons.logging.Log;
import org.springframework.aot.AotDetector;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.logging.DeferredLogFactory;
import org.springframework.core.Ordered;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;

/**
 * Decides whether the prepared bean definitions can be used. The image and the release archive
 * contain bean definitions that were generated at build time, so the set of beans is fixed there.
 * If a property that changes the set is given, the process builds its own definitions, as in a work
 * tree. Without them a start is slower, and no setting is ignored.
 */
final class PreparedContext implements EnvironmentPostProcessor, Ordered {
  /**
   * Properties of Spring and springdoc. Properties of the service do not change the set of beans.
   */
  private static final List<String> DECIDING =
      plain("spring.", "management.", "springdoc.", "server.forward-headers-strategy");

  /** Properties that only beans of every process read. */
  private static final List<String> READ =
      plain(
          "spring.aot.",
          "spring.application.",
          "spring.config.",
          "spring.context.",
          "spring.datasource.hikari.",
          "spring.datasource.password",
          "spring.datasource.url",
          "spring.datasource.username",
          "spring.lifecycle.",
          "spring.ssl.",
          "management.server.address",
          "management.server.port",
          "management.server.ssl.");

  private static final String PORT = "management.server.port";
  private static final String PACKAGED = "class path resource";
  private final Log log;

  PreparedContext(DeferredLogFactory logs) {
    this.log = logs.getLog(PreparedContext.class);
  }

  /** Runs after all post-processors that add properties. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    if (!AotDetector.useGeneratedArtifacts()) {
      return;
    }
    deciding(environment)
        .ifPresent(name -> {
          SpringProperties.setFlag(AotDetector.AOT_ENABLED, false);
          log.info(
              name
                  + " is set: the context prepared by the build is not used, so the start is"
                  + " slower");
        });
  }

  /** Returns a given property that changes the set of beans. */
  static Optional<String> deciding(ConfigurableEnvironment environment) {
    if (ManagementPortType.get(environment) != ManagementPortType.DIFFERENT) {
      return Optional.of(PORT);
    }
    return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
        .filter(source -> !packaged(source))
        .flatMap(PreparedContext::names)
        .filter(PreparedContext::decides)
        .findFirst();
  }

  private static boolean packaged(ConfigurationPropertySource source) {
    return source.getUnderlyingSource() instanceof PropertySource<?> properties
        && properties.getName().contains(PACKAGED);
  }

  private static Stream<String> names(ConfigurationPropertySource source) {
    return source instanceof IterableConfigurationPropertySource known
        ? known.stream().map(ConfigurationPropertyName::toString)
        : Stream.empty();
  }

  private static boolean decides(String name) {
    String plain = plain(name).getFirst();
    return DECIDING.stream().anyMatch(plain::startsWith)
        && READ.stream().noneMatch(plain::startsWith);
  }

  /**
   * The name of a variable is ambiguous, because an underscore can stand for a dot, a dash or
   * nothing.
   */
  private static List<String> plain(String... names) {
    return Stream.of(names).map(name -> name.replace(".", "").replace("-", "")).toList();
  }
}

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
 * The image and the release archive start from definitions of beans that were written down when
 * they were built, and which beans there are was decided then. A process that is given a property
 * that decides it looks for itself, as one of a work tree does: it starts more slowly, and nothing
 * that was set is left unheeded.
 */
final class PreparedContext implements EnvironmentPostProcessor, Ordered {
  /** Spring's and springdoc's; those of the service decide no bean. */
  private static final List<String> DECIDING =
      plain("spring.", "management.", "springdoc.", "server.forward-headers-strategy");

  /** What is read by beans that are there in any case. */
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

  /** Behind all that add properties. */
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
                  + " is set: the prepared context of the build is not used, and the start is slower");
        });
  }

  /** A property that was given and decides which beans there are. */
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

  /** A variable does not say which of its underscores are dots, and which are dashes or nothing. */
  private static List<String> plain(String... names) {
    return Stream.of(names).map(name -> name.replace(".", "").replace("-", "")).toList();
  }
}

package dev.fairlead.kernel.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.Annotation;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Operator settings are validated at the start and documented. */
@ExtendWith(OutputCaptureExtension.class)
class SettingsTest {
  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");
  private static final Pattern HYPHEN = Pattern.compile("-([a-z])");
  private static final Pattern RANGE = Pattern.compile("from (\\S+) to ([^,;\\s]+)");

  /** Exactly the settings of all modules. A scan of all packages would cost a second. */
  @Configuration(proxyBeanMethods = false)
  @ConfigurationPropertiesScan({
    "dev.fairlead.data.transfer.service",
    "dev.fairlead.fleet.cluster.postgres",
    "dev.fairlead.fleet.limit.service",
    "dev.fairlead.kernel.console.web",
    "dev.fairlead.kernel.egress",
    "dev.fairlead.kernel.encryption",
    "dev.fairlead.kernel.lease.postgres",
    "dev.fairlead.kernel.loop",
    "dev.fairlead.kernel.openapi",
    "dev.fairlead.kernel.overload",
    "dev.fairlead.kernel.postgres",
    "dev.fairlead.kernel.trace.web",
    "dev.fairlead.kernel.web",
    "dev.fairlead.work.job.web.spec",
    "dev.fairlead.work.job.web.view",
    "dev.fairlead.work.log.chunk",
    "dev.fairlead.work.serving.gate",
    "dev.fairlead.work.workload.kubernetes",
    "dev.fairlead.work.workload.output",
    "dev.fairlead.work.workload.service",
    "dev.fairlead.work.workload.session",
    "dev.fairlead.work.workload.simulation"
  })
  static class Everything {}

  /** Fails when settings of another package would be started by no test. */
  @Test
  void everyPackageWithSettingsIsScanned() {
    List<String> scanned =
        List.of(Everything.class.getAnnotation(ConfigurationPropertiesScan.class).value());

    assertThat(settings())
        .extracting(candidate -> ClassUtils.getPackageName(candidate.getBeanClassName()))
        .isSubsetOf(scanned)
        .containsAll(scanned);
  }

  private static ConfigurableApplicationContext started(String... settings) {
    return new SpringApplicationBuilder(Everything.class)
        .web(WebApplicationType.NONE)
        .properties(
            "spring.config.location=optional:classpath:/none/",
            "spring.datasource.hikari.connection-init-sql=SELECT 1")
        .run(Stream.of(settings).map(each -> "--" + each).toArray(String[]::new));
  }

  @Test
  void defaultSettingsStart() {
    try (ConfigurableApplicationContext context = started()) {
      assertThat(context.isActive()).isTrue();
    }
  }

  /** Fails when a constraint is removed: the value would be used. */
  @ParameterizedTest
  @CsvSource({
    "fairlead.lease.duration, 2h, 1s to 1h",
    "fairlead.lease.renew, 1ms, 100ms to 1h",
    "fairlead.loop.stuck-after, 0s, 1s to 1d",
    "fairlead.loop.late-after, 2d, 1s to 1d",
    "fairlead.installation.raise-incarnation-from, -1, 0 to 1000000000",
    "fairlead.database.loop-connections, 0, 1 to 1000",
    "fairlead.workload.keep-failed, -1s, 0s to 7d",
    "fairlead.workload.keep-succeeded, 8d, 0s to 7d",
    "fairlead.logs.keep, 1m, 1h to 3650d",
    "fairlead.logs.member-megabytes, 0, 1 to 1000000",
    "fairlead.logs.project-megabytes, 0, 1 to 1000000000",
    "fairlead.logs.megabytes-per-second, 0, 1 to 10000",
    "fairlead.logs.members-per-second, 0, 1 to 10000",
    "fairlead.api.requests-per-minute, -1, 0 to 100000000",
    "fairlead.api.concurrent-requests, 1, 2 to 10000",
    "fairlead.api.longest-wait, 2m, 0s to 1m",
    "fairlead.gate.body, 0B, 1KB to 1GB",
    "fairlead.gate.body, 2GB, 1KB to 1GB",
    "fairlead.gate.stream-idle, 0s, 1s to 1h",
    "fairlead.gate.keys-without-database, 1s, 5s to 24h",
    "fairlead.kubernetes.call-timeout, 0s, 1s to 1m",
    "fairlead.kubernetes.calls.concurrent, 0, 1 to 1000",
    "fairlead.kubernetes.calls.writes-per-second, 9, 10 to 10000",
    "fairlead.kubernetes.calls.patience, 61s, 0s to 1m",
    "fairlead.kubernetes.calls.window, 4, 5 to 1000",
    "fairlead.kubernetes.calls.failed-percent, 101, 1 to 100",
    "fairlead.kubernetes.calls.open, 11m, 1s to 10m"
  })
  void outOfRangeValueStopsTheStartWithTheNextStep(
      String property, String value, String range, CapturedOutput output) {
    assertThatThrownBy(() -> started(property + "=" + value)).isInstanceOf(Exception.class);

    assertThat(output)
        .contains("Property: " + named(property), "must be from " + range, "(default ");
  }

  /** The name that Spring writes and also accepts. */
  private static String named(String property) {
    return HYPHEN.matcher(property).replaceAll(c -> c.group(1).toUpperCase(Locale.ROOT));
  }

  /** Fails when links of jobs would lead nowhere, or to a host that a variable names. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "logs.example/{job}",
        "javascript:alert(1)",
        "https://logs.example/{jobb}",
        "https://logs.example/{job",
        "https://logs.example/query={\"job\":1}",
        "https://logs.example/%zz",
        "https://me:secret@logs.example/{job}",
        "https://{cluster}.example/{job}"
      })
  void logUrlThatIsNoTemplateStopsTheStart(String url, CapturedOutput output) {
    assertThatThrownBy(() -> started("fairlead.logs.job-url=" + url)).isInstanceOf(Exception.class);

    assertThat(output)
        .contains("Property: fairlead.logs.jobUrl", "{job}, {project}, {tenant}, {cluster}");
  }

  /** Fails when a misspelt role is ignored without a message: its loops never run. */
  @Test
  void unknownRoleStopsTheStartWithTheKnownOnes(CapturedOutput output) {
    assertThatThrownBy(() -> started("fairlead.roles=api,schedular")).isInstanceOf(Exception.class);

    assertThat(output).contains("Property: fairlead.roles", "schedular", "SCHEDULER", "BACKGROUND");
  }

  @Test
  void processWithoutARoleDoesNotStart(CapturedOutput output) {
    assertThatThrownBy(() -> started("fairlead.roles=")).isInstanceOf(Exception.class);

    assertThat(output).contains("Property: fairlead.roles", "at least one role");
  }

  /** Fails when the service starts with lease times that let two holders act at the same time. */
  @Test
  void leaseTimesInTheWrongOrderStopTheStart(CapturedOutput output) {
    assertThatThrownBy(() -> started("fairlead.lease.renew=25s")).isInstanceOf(Exception.class);

    assertThat(output)
        .contains("fairlead.lease.renew 25s", "fairlead.lease.self-stop 20s", "must rise");
  }

  /**
   * One property.
   *
   * @param usual default value, empty for a list without one
   * @param ranges bounds in its constraints, for example {@code 1s to 1h}
   */
  record Property(String name, String usual, List<String> ranges) {}

  /** The sign-in settings have their own page, and some are variables. */
  static Stream<Property> properties() throws ReflectiveOperationException {
    List<Property> found = new ArrayList<>();
    for (BeanDefinition candidate : settings()) {
      Class<?> type = Class.forName(candidate.getBeanClassName());
      String prefix = type.getAnnotation(ConfigurationProperties.class).value();
      if (prefix.matches("fairlead\\.(?!oidc$)[a-z]+")) {
        collect(prefix, type, found);
      }
    }
    return found.stream();
  }

  private static Set<BeanDefinition> settings() {
    ClassPathScanningCandidateComponentProvider scanner =
        new ClassPathScanningCandidateComponentProvider(false);
    scanner.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
    return scanner.findCandidateComponents("dev.fairlead");
  }

  private static void collect(String prefix, Class<?> type, List<Property> found)
      throws ReflectiveOperationException {
    for (RecordComponent each : type.getRecordComponents()) {
      String name =
          prefix
              + "."
              + CAPITAL
                  .matcher(each.getName())
                  .replaceAll(c -> "-" + c.group().toLowerCase(Locale.ROOT));
      if (each.getType().isRecord()) {
        collect(name, each.getType(), found);
      } else {
        String usual = usual(type, each.getName());
        found.add(new Property(name, usual, ranges(type, each.getName())));
      }
    }
  }

  private static String usual(Class<?> type, String component) {
    return Arrays.stream(type.getDeclaredConstructors()[0].getParameters())
        .filter(parameter -> parameter.getName().equals(component))
        .map(parameter -> String.join(",", parameter.getAnnotation(DefaultValue.class).value()))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> ranges(Class<?> type, String component)
      throws ReflectiveOperationException {
    List<String> ranges = new ArrayList<>();
    for (Annotation each : type.getDeclaredField(component).getAnnotations()) {
      Matcher range =
          RANGE.matcher(String.valueOf(each.annotationType().getMethod("message").invoke(each)));
      if (range.find()) {
        ranges.add(range.group(1) + " to " + range.group(2));
      }
    }
    return ranges;
  }

  /** Fails when a property is added, or its default or range changed, and the page is not. */
  @ParameterizedTest
  @MethodSource("properties")
  void everyPropertyIsDocumentedWithItsDefaultAndRange(Property property) throws Exception {
    String row =
        Arrays.stream(ConfigurationDocsTest.read("docs/reference/configuration.md").split("\n"))
            .filter(line -> line.startsWith("| `" + property.name() + "` |"))
            .findFirst()
            .orElse("");

    assertThat(row).as(property.name()).isNotEmpty();
    if (!property.usual().isEmpty()) {
      assertThat(row).startsWith("| `%s` | `%s` |".formatted(property.name(), property.usual()));
    }
    property.ranges().forEach(range -> assertThat(row).contains(range));
  }
}

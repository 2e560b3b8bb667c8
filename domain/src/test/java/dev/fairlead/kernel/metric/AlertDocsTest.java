package dev.fairlead.kernel.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Files of alerts, their runbooks and metrics. promtool tests whether the alerts fire. */
class AlertDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("fairlead.root", ".."));
  private static final Path RUNBOOKS = ROOT.resolve("docs/how-to/runbooks");
  private static final String RULES = read("deploy/prometheus/rules.yaml");
  private static final List<String> ALERTS = all("- alert: (\\w+)", RULES);

  private static String read(String file) {
    try {
      return Files.readString(ROOT.resolve(file));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  private static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }

  /** Fails when an alert links to a missing page, or a page of a removed alert remains. */
  @Test
  void alertsAndRunbooksMatchOneToOne() throws IOException {
    assertThat(all("runbook: (\\S+)", RULES))
        .isEqualTo(ALERTS.stream().map(alert -> "docs/how-to/runbooks/" + alert + ".md").toList());
    try (Stream<Path> pages = Files.list(RUNBOOKS)) {
      assertThat(pages.map(page -> page.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(
              Stream.concat(ALERTS.stream().map(alert -> alert + ".md"), Stream.of("README.md"))
                  .toList());
    }
    assertThat(ALERTS)
        .allSatisfy(alert ->
            assertThat(read("docs/how-to/runbooks/" + alert + ".md"))
                .contains(
                    "## What users notice",
                    "## Diagnosis",
                    "```bash",
                    "## What to do",
                    "## It ends when"));
  }

  @Test
  void eachAlertStatesItsSeverityAndEffect() {
    assertThat(all("severity: (\\w+)", RULES)).hasSameSizeAs(ALERTS).containsOnly("page", "warn");
    assertThat(all("summary: (.+)", RULES)).hasSameSizeAs(ALERTS);
  }

  /** Fails when a rule uses a renamed metric: its alert would never fire. */
  @Test
  void eachMetricOfARuleIsOnThePage() {
    List<String> listed = all("\\| `([a-z][a-z0-9_]+)` \\|", read("docs/reference/metrics.md"));
    String known =
        "\\b((?:fairlead|http|hikaricp|jvm|process|resilience4j)_[a-z_]*[a-z])(?=[{\\[) ])";
    TreeSet<String> asked = new TreeSet<>();
    all(known, RULES).forEach(name -> asked.add(name.replaceFirst("_(count|sum|bucket|max)$", "")));
    listed.stream()
        .filter(name -> RULES.contains(name + "{") || RULES.contains(name + ")"))
        .forEach(name -> asked.remove(name.replaceFirst("_(count|sum|bucket|max)$", "")));

    assertThat(asked).isSubsetOf(listed);
  }

  @Test
  void everyAlertHasATestThatFiresAndOneThatDoesNot() {
    List<String> tested =
        all("- name: (\\w+ (?:fires|is silent))", read("deploy/prometheus/rules_test.yaml"));
    assertThat(tested)
        .containsExactlyInAnyOrderElementsOf(
            ALERTS.stream().flatMap(a -> Stream.of(a + " fires", a + " is silent")).toList());
  }
}

package dev.fairlead.work.policy.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.fairlead.kernel.pattern.service.Re2Patterns;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.policy.Policy;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CelExpressionsTest {
  private static final SortedMap<String, Object> JOB =
      Policy.facts("nlp", "ana", Specs.job("train").gpus(4).label("team", "a".repeat(60)).build());

  private final CelExpressions expressions = new CelExpressions(new Re2Patterns());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "job.gpus == 4",
        "job.gpus <= 4.5 && job.members == 1 && job.elements == 1",
        "job.project == 'nlp' && job.user == 'ana' && job.priorityClass in ['low', 'normal']",
        "'team' in job.labels && job.labels['team'].startsWith('a')",
        "job.roles.all(role, role.gpus <= 8 && role.memoryMiB > 0 && !('SECRET' in role.env))",
        "!has(job.maxRuntimeSeconds) || job.maxRuntimeSeconds <= 3600",
        "size(job.secrets) == 0 && size(job.clusters) == 0 && job.preemptible"
      })
  void anExpressionReadsTheFactsOfAJob(String expression) {
    assertThat(expressions.problem(expression)).isEmpty();
    assertThat(expressions.allows(expression, JOB)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"job.maxRuntimeSeconds < 1", "job.gpus", "job.labels.none == 'a'"})
  void anExpressionWithoutAResultFails(String expression) {
    assertThatThrownBy(() -> expressions.allows(expression, JOB))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Fails when a stored policy refuses each job, or allows each, because of a misspelt name. */
  @ParameterizedTest
  @ValueSource(strings = {"job.gpuz <= 64", "!has(job.maxRuntime) || job.gpus < 4"})
  void anExpressionWithAnUnknownValueIsNotStored(String expression) {
    assertThat(expressions.problem(expression).orElseThrow())
        .startsWith("job has no value \"")
        .contains("clusters, elements, gpus");
  }

  /** Fails when an error of the compiler lists tokens of its grammar, or has no position. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "job.gpus <            | column 11: the expression ends early",
        "job.gpus & 8          | column 10: \"&\" is not an operator",
        "not job.gpus          | column 5: \"job\" does not fit here",
        "job.user == 'a        | column 13: a string has no closing quote",
        "jobs.gpus < 8         | column 1: \"jobs\" is unknown. Values of the job begin with job.",
        "job.gpus + 1 < 'a'    | column 14: \"<\" does not accept int and string",
        "size(job.name) + 1    | column 16: the result is int, and must be true or false",
        "job.gpus == 99999999999999999999 | column 13: the number is too large",
      })
  void anErrorOfTheCompilerHasItsPositionAndTheNextStep(String expression, String told) {
    assertThat(expressions.problem(expression).orElseThrow())
        .startsWith(told)
        .doesNotContain("<EOF>", "expecting", "overload", "token");
  }

  @Test
  void anErrorInALaterLineHasItsLine() {
    assertThat(expressions.problem("job.gpus < 8 &&\n  jobs.user == 'a'").orElseThrow())
        .startsWith("line 2, column 3: \"jobs\" is unknown");
  }

  @Test
  void eachFactOfAJobIsAKnownValue() {
    assertThat(Policy.FACTS).containsAll(JOB.keySet()).contains("maxRuntimeSeconds");
  }

  /** Fails when the size of texts does not count: each of these would take minutes. */
  @ParameterizedTest
  @ValueSource(
      strings = {"!job.labels.big.matches('(a|b|ab)*c')", "%s != ''", "%s == '' || job.gpus == 4"})
  void anExpressionOverLargeTextsEnds(String expression) {
    SortedMap<String, Object> job =
        Policy.facts("nlp", "ana", Specs.job("train").label("big", "ab".repeat(30_000)).build());
    String chain = String.join(" + ", Collections.nCopies(16, "job.labels.big"));
    String tens = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    String all = "%s.all(x, %s.all(y, %s.all(z, %s)))";
    String often = all.formatted(tens, tens, tens, expression.formatted(chain));
    assertThat(expressions.problem(often)).isEmpty();
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () ->
            assertThatThrownBy(() -> expressions.allows(often, job))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cost exceeds the limit"));
  }

  /** Fails when a pattern reaches RE2 before its size is known: the heap is full first. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "job.name.matches('((a{1000}){1000}){1000}')",
        "matches(job.name, '((a{1000}){1000}){1000}')",
        "job.name.matches('((a{10' + '00}){1000}){1000}')",
        "job.name.matches(job.labels.team)",
        "job.roles.all(role, role.image.matches('(a{1000}){1000}'))"
      })
  void memoryExhaustingPatternIsRejected(String expression) {
    assertThat(expressions.problem(expression)).isPresent();
    assertThatThrownBy(() -> expressions.allows(expression, JOB))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void deeplyNestedExpressionIsRejectedOrTerminates() {
    for (String expression :
        List.of(
            "!".repeat(1_000) + "true",
            String.join(" + ", Collections.nCopies(500, "1")) + " > 0",
            "job" + ".a".repeat(1_000) + " == 1",
            "true" + " && true".repeat(250),
            "true ? ".repeat(150) + "true" + " : false".repeat(150),
            "[".repeat(500) + "]".repeat(500) + " == []")) {
      if (expressions.problem(expression).isEmpty()) {
        try {
          boolean _ = expressions.allows(expression, JOB);
        } catch (IllegalArgumentException failed) {
          assertThat(failed).hasMessageNotContaining("StackOverflow");
        }
      }
    }
  }

  /** Fails when iterations, regular expressions or the length of an expression have no bound. */
  @Test
  void anExpensiveExpressionEnds() {
    String ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    String nested = "true";
    for (int depth = 0; depth < 8; depth++) {
      nested = ten + ".all(x" + depth + ", " + nested + ")";
    }
    String loops = nested;
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          assertThatThrownBy(() -> expressions.allows(loops, JOB))
              .hasMessageContaining("budget exceeded");
          assertThat(expressions.allows("!job.labels.team.matches('(a+)+b')", JOB)).isTrue();
        });
    assertThat(expressions.problem("job.user == '" + "x".repeat(3_000) + "'")).isPresent();
    assertThat(expressions.problem("(".repeat(200) + "true" + ")".repeat(200))).isPresent();
    assertThat(expressions.problem("job.user == ")).isPresent();
    assertThat(expressions.problem("other.user == 'a'")).isPresent();
  }
}

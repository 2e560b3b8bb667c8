package dev.fairlead.work.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.FieldProblem;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobTreeTest {
  /** Characters that mean something to YAML, JSON, shells and expressions. */
  private static final String ODD = "ab1 \n\t'\"`$(){}[]|&;<>\\:#-?*!%@,=/~\u00e9\u2028";

  private static TemplateParameter parameter(
      String name, TemplateParameter.Type type, String... values) {
    return new TemplateParameter(name, type, "", null, null, null, null, null, List.of(values));
  }

  private static List<String> refused(Map<String, Object> job) {
    List<TemplateParameter> parameters =
        List.of(
            parameter("text", TemplateParameter.Type.STRING),
            parameter("n", TemplateParameter.Type.INTEGER),
            parameter("safe", TemplateParameter.Type.ENUM, "a", "b-1"),
            parameter("unsafe", TemplateParameter.Type.ENUM, "a", "b c"));
    return JobTree.problems(job, "", parameters).stream().map(FieldProblem::pointer).toList();
  }

  @Test
  void wholeValueKeepsItsTypeAndPartOfATextBecomesText() {
    Map<String, Object> job =
        Map.of(
            "workers", "${parameters.n}",
            "name", "run-${parameters.n}-${ parameters.text }",
            "env", Map.of("N", "${parameters.n}"),
            "run", List.of("train", "${parameters.n}", "--lr=${parameters.lr}"),
            "preemption", Map.of("allowed", "${parameters.flag}"));

    Object filled =
        JobTree.filled(
            job, Map.of("n", 4, "text", "x", "lr", new BigDecimal("1E-4"), "flag", true));

    assertThat(filled)
        .isEqualTo(
            new TreeMap<>(
                Map.of(
                    "workers", 4,
                    "name", "run-4-x",
                    "env", Map.of("N", "4"),
                    "run", List.of("train", "4", "--lr=0.0001"),
                    "preemption", Map.of("allowed", true))));
  }

  @Test
  void aVariableOfAShellIsText() {
    Map<String, Object> job = Map.of("run", "echo ${HOME} ${x:-${y}} $${n} ${parameter}");

    assertThat(refused(job)).isEmpty();
    assertThat(JobTree.filled(job, Map.of("n", 1))).isEqualTo(job);
  }

  /** Fails when a value is put into the text of the template, or is read for expressions again. */
  @Test
  void anyTextRemainsASingleText() {
    Random random = new Random(62);
    Map<String, Object> job =
        Map.of(
            "image", "${parameters.text}",
            "args", List.of("a", "--x=${parameters.text}", "${parameters.text}"),
            "env", Map.of("A", "<${parameters.text}${parameters.text}>"));
    for (int i = 0; i < 20_000; i++) {
      String text = text(random);
      Object filled = JobTree.filled(job, Map.of("text", text, "n", 7));

      assertThat(filled)
          .isEqualTo(
              new TreeMap<>(
                  Map.of(
                      "image", text,
                      "args", List.of("a", "--x=" + text, text),
                      "env", Map.of("A", "<" + text + text + ">"))));
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.append(
          random.nextInt(8) == 0
              ? List.of("${parameters.n}", "${parameters.text}", "\n- ", "$0", "\\1")
                  .get(random.nextInt(5))
              : ODD.charAt(random.nextInt(ODD.length())));
    }
    return text.toString();
  }

  /** Fails when a text parameter may become code of a shell. */
  @Test
  void shellTemplateTextIsRejected() {
    String text = "x ${parameters.text}";
    assertThat(refused(Map.of("run", text))).containsExactly("/run");
    assertThat(refused(Map.of("roles", List.of(Map.of("run", text)))))
        .containsExactly("/roles/0/run");
    assertThat(refused(Map.of("run", List.of("bash", "-ec", text, text))))
        .containsExactly("/run/2");
    assertThat(refused(Map.of("command", List.of("python", "-c", text))))
        .containsExactly("/command/2");
    assertThat(refused(Map.of("command", List.of("sh", "-c"), "args", List.of(text, text))))
        .containsExactly("/args/0");
    assertThat(refused(Map.of("run", "x ${parameters.unsafe}"))).containsExactly("/run");
    assertThat(refused(Map.of("run", "x ${parameters.n} ${parameters.safe}"))).isEmpty();
    assertThat(refused(Map.of("run", List.of("x", text), "env", Map.of("run", text)))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "${parameters.none}",
        "${parameters.}",
        "${parameters}",
        "${parameters.n",
        "${ parameters[n] }",
        "${parameters.n.x}"
      })
  void unfillableExpressionIsRejected(String text) {
    assertThat(refused(Map.of("env", Map.of("A", text)))).containsExactly("/env/A");
  }

  @Test
  void parameterInAFieldNameAndEmptyItemsAreRejected() {
    assertThat(refused(Map.of("env", Map.of("${parameters.n}", "a"))))
        .containsExactly("/env/${parameters.n}");
    List<Object> items = new ArrayList<>();
    items.add(null);
    assertThat(refused(Map.of("args", items))).containsExactly("/args/0");
  }

  @Test
  void jobThatGrowsTooLargeIsRejected() {
    Map<String, Object> job =
        Map.of("args", IntStream.range(0, 1_000).mapToObj(i -> "${parameters.text}").toList());

    assertThatThrownBy(() -> JobTree.filled(job, Map.of("text", "x".repeat(4_000))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

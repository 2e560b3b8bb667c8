package dev.fairlead.work.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.pattern.TextPatterns;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TemplateCheckTest {
  private static final TextPatterns PATTERNS =
      new TextPatterns() {
        @Override
        public Optional<String> problem(String pattern) {
          return pattern.equals("[") ? Optional.of("it has no end") : Optional.empty();
        }

        @Override
        public boolean matches(String pattern, String text) {
          return Pattern.matches(pattern, text);
        }
      };

  private static TemplateParameter text(@Nullable String pattern, @Nullable Integer most) {
    return new TemplateParameter(
        "x", TemplateParameter.Type.STRING, "", null, null, null, most, pattern, List.of());
  }

  private static TemplateParameter number(
      TemplateParameter.Type type,
      @Nullable String fallback,
      @Nullable String least,
      @Nullable String most) {
    return new TemplateParameter("x", type, "", fallback, least, most, null, null, List.of());
  }

  private static List<String> refused(TemplateParameter... parameters) {
    Template template = new Template("t", null, "", List.of(parameters), List.of(), "{}");
    return TemplateCheck.problems(template, new TreeSet<>(), Map.of(), PATTERNS).stream()
        .map(FieldProblem::pointer)
        .toList();
  }

  private static List<FieldProblem> problems(TemplateParameter parameter, Object value) {
    return TemplateCheck.values(List.of(parameter), new TreeMap<>(Map.of("x", value)), PATTERNS)
        .problems();
  }

  @Test
  void parameterHasTheFieldsOfItsTypeAndADefaultWithinItsBounds() {
    assertThat(refused(number(TemplateParameter.Type.INTEGER, "9", "1", "8")))
        .containsExactly("/parameters/0/defaultValue");
    assertThat(refused(number(TemplateParameter.Type.STRING, null, "1", null)))
        .containsExactly("/parameters/0/minimum");
    assertThat(refused(number(TemplateParameter.Type.ENUM, null, null, null)))
        .containsExactly("/parameters/0/values");
    assertThat(refused(text("[", null))).containsExactly("/parameters/0/pattern");
    assertThat(refused(text("a+", 9), text("a+", 9))).containsExactly("/parameters/1/name");
    assertThat(refused(number(TemplateParameter.Type.NUMBER, "0.5", "0", "1"))).isEmpty();
  }

  /** Fails when a bound is stored that no response can show, or that no value can meet. */
  @Test
  void boundsHaveFewDigitsAndAreInOrder() {
    TemplateParameter.Type type = TemplateParameter.Type.NUMBER;
    assertThat(refused(number(type, null, "1E+2147483647", null)))
        .containsExactly("/parameters/0/minimum");
    assertThat(refused(number(type, null, null, "1E-999999")))
        .containsExactly("/parameters/0/maximum");
    assertThat(refused(number(type, null, "5", "1"))).containsExactly("/parameters/0/minimum");
    assertThat(refused(number(type, null, "5", "5.0"))).isEmpty();
  }

  @Test
  void valueMustHaveTheTypeAndLieWithinTheBounds() {
    TemplateParameter integer = number(TemplateParameter.Type.INTEGER, null, "1", "8");
    assertThat(problems(integer, 8)).isEmpty();
    assertThat(problems(integer, BigInteger.TEN.pow(40))).hasSize(1);
    assertThat(problems(integer, 9L)).extracting(FieldProblem::pointer).containsExactly("/x");
    assertThat(problems(integer, new BigDecimal("1.0"))).hasSize(1);
    assertThat(problems(integer, "1")).hasSize(1);
    assertThat(
            problems(
                number(TemplateParameter.Type.NUMBER, null, null, null), new BigDecimal("1E+999")))
        .hasSize(1);
    assertThat(problems(number(TemplateParameter.Type.BOOLEAN, null, null, null), "true"))
        .hasSize(1);
    assertThat(problems(text("[a-z]+", 3), "abcd")).hasSize(1);
    assertThat(problems(text("[a-z]+", 3), "ab")).isEmpty();
    assertThat(problems(text("[a-z]+", 3), "ab\n")).hasSize(1);
    assertThat(problems(text(null, null), "x".repeat(4_097))).hasSize(1);
    assertThat(problems(text(null, null), List.of("x"))).hasSize(1);
  }

  @Test
  void aMissingAndAnUnknownParameterAreRefused() {
    TemplateCheck.Values values =
        TemplateCheck.values(List.of(text(null, null)), new TreeMap<>(Map.of("y/z", 1)), PATTERNS);

    assertThat(values.problems())
        .extracting(FieldProblem::pointer, FieldProblem::code)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("/x", ProblemCode.INVALID_FIELD),
            org.assertj.core.groups.Tuple.tuple("/y~1z", ProblemCode.UNKNOWN_FIELD));
  }

  /** Random values of all kinds: each is refused, or is of its type and in its bounds. */
  @Test
  void acceptedValueHasItsType() {
    Random random = new Random(62);
    List<TemplateParameter> parameters =
        List.of(
            number(TemplateParameter.Type.INTEGER, null, "-5", "5"),
            number(TemplateParameter.Type.NUMBER, null, "-5", "5"),
            number(TemplateParameter.Type.BOOLEAN, null, null, null),
            text("[a-c]*", 4),
            new TemplateParameter(
                "x",
                TemplateParameter.Type.ENUM,
                "",
                null,
                null,
                null,
                null,
                null,
                List.of("a", "b")));
    int accepted = 0;
    for (int i = 0; i < 50_000; i++) {
      TemplateParameter parameter = parameters.get(random.nextInt(parameters.size()));
      Object value = value(random);
      if (problems(parameter, value).isEmpty()) {
        accepted++;
        assertThat(fits(parameter.type(), value)).as("%s %s", parameter.type(), value).isTrue();
      }
    }
    assertThat(accepted).isBetween(5_000, 30_000);
  }

  private static boolean fits(TemplateParameter.Type type, Object value) {
    return switch (type) {
      case INTEGER -> Math.abs(Long.parseLong(value.toString())) <= 5;
      case NUMBER -> new BigDecimal(value.toString()).abs().compareTo(new BigDecimal(5)) <= 0;
      case BOOLEAN -> value instanceof Boolean;
      case STRING -> value.toString().matches("[a-c]{0,4}") && value instanceof String;
      case ENUM -> value.equals("a") || value.equals("b");
    };
  }

  private static Object value(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt(-8, 9);
      case 1 -> random.nextLong();
      case 2 -> BigDecimal.valueOf(random.nextInt(-80, 80), random.nextInt(-400, 400));
      case 3 -> random.nextBoolean();
      case 4 -> List.of("a");
      case 5 -> Map.of("a", 1);
      default -> String.valueOf((char) ('a' + random.nextInt(4))).repeat(random.nextInt(6));
    };
  }
}

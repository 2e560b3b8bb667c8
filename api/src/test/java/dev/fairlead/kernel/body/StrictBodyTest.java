package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StrictBodyTest {
  private static Refusal json(String text) {
    return json(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Refusal json(byte[] bytes) {
    return catchThrowableOfType(
        Refusal.class, () -> BodyReader.json(new ByteArrayInputStream(bytes)));
  }

  private static Refusal yaml(String text) {
    return catchThrowableOfType(
        Refusal.class,
        () -> BodyReader.yaml(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
  }

  private static String read(String yaml) throws IOException {
    FieldProblems problems = new FieldProblems();
    Body body = BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
    return StrictJson.write(body.value(problems).node());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "{",
        "{\"a\":1,}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":NaN}",
        "{\"a\":1} x",
        "{\"a\":1}{\"b\":2}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":1,\"b\":2}}",
        "\uFEFF{\"a\":1}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\u0000\"}",
        "{\"\\u0000\":1}",
        "{\"a\":\"x\u202Ey\"}",
        "{\"a\":\"x\u200By\"}",
        "// c\n{}",
        "{\"a\":\"line\nbreak\"}"
      })
  void ambiguousJsonIsRejected(String text) {
    assertThat(json(text))
        .isNotNull()
        .extracting(Refusal::code)
        .isEqualTo(ProblemCode.MALFORMED_BODY);
  }

  @Test
  void aProblemOfJsonNamesLineAndColumn() {
    Refusal refusal = json("{\n  \"name\": \"a\",\n  \"gpu\" 1\n}");

    assertThat(refusal.numbers()).containsEntry("line", 3).containsKey("column");
    assertThat(refusal)
        .hasMessageStartingWith("Line 3, column")
        .hasMessageNotContaining("JsonParser");
    assertThat(json("{\"name\": \"a\""))
        .hasMessageContaining("Unexpected end-of-input")
        .hasMessageNotContaining("Source");
  }

  /** Fails when a problem repeats a part of the body, which may contain a secret. */
  @Test
  void problemDoesNotEchoItsInput() {
    assertThat(json("{\"data\":{\"token\": hf_AbC123}}"))
        .hasMessageStartingWith("Line 1, column")
        .hasMessageContaining("Unrecognized token")
        .hasMessageNotContaining("AbC123");
    for (String value : List.of("0123456789", "*p4ssw0rd", "!s3cret", "!s3cret!x y")) {
      assertThat(yaml("data: {pin: " + value + "}"))
          .as(value)
          .hasMessageStartingWith("Line 1, column")
          .hasMessageNotContainingAny("0123456789", "p4ssw0rd", "s3cret");
    }
  }

  @Test
  void nestingNumbersAndSizeAreBounded() {
    assertThat(json("[".repeat(100_000))).isNotNull();
    assertThat(json("{\"a\":" + "[".repeat(64) + "]".repeat(64) + "}")).isNotNull();
    assertThat(json("{\"a\":" + "9".repeat(1000) + "}")).isNotNull();
    assertThat(json("{\"a\":\"" + "x".repeat(BodyReader.LARGEST) + "\"}").code())
        .isEqualTo(ProblemCode.BODY_TOO_LARGE);
    assertThat(json(new byte[] {'{', '"', (byte) 0xff, '"', ':', '1', '}'})).isNotNull();
  }

  @Test
  void endlessBodyIsReadToTheBoundOnly() {
    InputStream endless =
        new InputStream() {
          private int given;

          @Override
          public int read() {
            assertThat(given++).isLessThan(2 * BodyReader.LARGEST);
            return ' ';
          }
        };

    Refusal refusal = catchThrowableOfType(Refusal.class, () -> BodyReader.json(endless));

    assertThat(refusal.code()).isEqualTo(ProblemCode.BODY_TOO_LARGE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# only a comment",
        "a: 1\na: 2",
        "a: !!java.lang.Runtime x",
        "a: !!str 1",
        "a: !x b",
        "a: no",
        "a: ON",
        "a: Yes",
        "a: 010",
        "\ta: 1",
        "a:\n\t- b",
        "a: 1\n---\nb: 2",
        "x: &x {a: 1}\ny: {<<: *x}",
        "a: *nowhere",
        "a: &a [*a]",
        "? [a, b]\n: c",
        "a: [1, 2",
        "a: \"\\0\"",
        "a: \"\\u200b\"",
        "%YAML 3.0\n---\na: 1",
        "- a: 1\n b: 2"
      })
  void ambiguousYamlIsRejected(String text) {
    assertThat(yaml(text))
        .isNotNull()
        .extracting(Refusal::code)
        .isEqualTo(ProblemCode.MALFORMED_BODY);
  }

  @Test
  void aProblemOfYamlNamesLineAndColumn() {
    assertThat(yaml("name: a\nlabels:\n  country: no\n").numbers())
        .containsEntry("line", 3)
        .containsEntry("column", 12);
    assertThat(yaml("name: a\nname: b\n")).hasMessageContaining("\"name\" is given twice");
  }

  @Test
  void aliasBombsAreRejectedBeforeTheyGrow() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
      String before = ", *a" + (i - 1);
      bomb.append("a")
          .append(i)
          .append(": &a")
          .append(i)
          .append(" [x")
          .append(before.repeat(9))
          .append("]\n");
    }

    assertThat(yaml(bomb.toString())).hasMessageContaining("aliases");
    assertThat(yaml("[".repeat(5000))).isNotNull();
    assertThat(yaml("a: " + "{b: ".repeat(70) + "1" + "}".repeat(70))).hasMessageContaining("64");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a: 1                  | {\"a\":1}",
        "a: '1'                | {\"a\":\"1\"}",
        "a: 0.5                | {\"a\":0.5}",
        "a: true               | {\"a\":true}",
        "a: ~                  | {\"a\":null}",
        "a: 0x10               | {\"a\":\"0x10\"}",
        "a: 1_000              | {\"a\":\"1_000\"}",
        "a: 12:30              | {\"a\":\"12:30\"}",
        "a: 2024-02-30         | {\"a\":\"2024-02-30\"}",
        "a: 16Gi               | {\"a\":\"16Gi\"}",
        "a: 'no'               | {\"a\":\"no\"}",
        "on: [1]               | {\"on\":[1]}",
        "a: .inf               | {\"a\":\".inf\"}",
        "{x: &x [1], y: *x}    | {\"x\":[1],\"y\":[1]}",
        "{\"a\": [1, {b: c}]}  | {\"a\":[1,{\"b\":\"c\"}]}"
      })
  void yamlIsEquivalentToItsJson(String yaml, String json) throws IOException {
    assertThat(read(yaml)).isEqualTo(json);
  }

  @Test
  void aPatchRemovesByNullMergesObjectsAndReplacesTheRest() throws IOException {
    Body patch =
        BodyReader.json(
            new ByteArrayInputStream(
                "{\"a\":null,\"b\":{\"c\":2},\"d\":[1]}".getBytes(StandardCharsets.UTF_8)));

    Body result =
        patch.appliedTo(
            java.util.Map.of("a", 1, "b", java.util.Map.of("x", 1), "d", java.util.List.of(2, 3)));

    assertThat(result.value(new FieldProblems()).node().get("a")).isNull();
    assertThat(result.value(new FieldProblems()).node().get("b")).hasToString("{\"x\":1,\"c\":2}");
    assertThat(result.value(new FieldProblems()).node().get("d")).hasToString("[1]");
  }

  @Test
  void theNearestNameIsSuggestedAndFarOnesAreNot() {
    java.util.List<String> known = java.util.List.of("workers", "image", "gpu", "command");

    assertThat(SpellingSuggestion.to("wokers", known)).contains("workers");
    assertThat(SpellingSuggestion.to("gpus", known)).contains("gpu");
    assertThat(SpellingSuggestion.to("Image", known)).contains("image");
    assertThat(SpellingSuggestion.to("privileged", known)).isEmpty();
    assertThat(SpellingSuggestion.to("com", known)).contains("command");
    assertThat(SpellingSuggestion.to("tpm", known)).isEmpty();
  }
}

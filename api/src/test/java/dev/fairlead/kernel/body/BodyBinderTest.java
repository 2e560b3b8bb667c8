package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Null;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.node.ObjectNode;

class BodyBinderTest {
  interface OfProject {}

  /** A request with one component of each kind. */
  record Sample(
      @Schema(description = "Number of things") @Min(1) @Max(10) Integer count,
      @DnsLabel(max = 8) @Nullable String name,
      @Size(max = 3) @Nullable String text,
      @Null(groups = OfProject.class, message = "is a field of tenants") @Nullable Long ofTenant,
      @Nullable Boolean flag,
      @Valid @Nullable Part part,
      @Size(max = 2) @Nullable List<@Valid Part> parts) {}

  /** A nested object. */
  record Part(@Schema(description = "Its size") @Min(0) @Max(5) Integer size) {}

  /** A component whose description is a sentence. */
  record Described(@Schema(description = "Its size.") Integer size) {}

  /** A request with values of other kinds, in which an amount excludes a time. */
  record Values(
      @Min(0) @Max(5) @Nullable BigDecimal amount,
      @Nullable Instant at,
      @Nullable CapacityType type,
      @Nullable String other)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (given.contains("amount") && given.contains("at")) {
        conflicts.put("at", "excludes amount");
        conflicts.put("other", "is missing: what it is of");
      }
      return conflicts;
    }
  }

  /** A request with lists, and with a bound below a second. */
  record Lists(
      @Size(max = 2) @Nullable List<@Size(min = 1, max = 20) String> words,
      @Nullable List<@Min(1) @Max(100) Integer> steps,
      @Nullable List<CapacityType> types,
      @Nullable List<Part> parts,
      @Nullable Part part,
      @Nullable ObjectNode tree,
      @Min(1) @Max(Long.MAX_VALUE) @Nullable Long revision,
      @DurationMin(millis = 1) @DurationMax(hours = 1) @Nullable Duration pause)
      implements RequestRules {
    /** Reads every item, as a rule about items does. */
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      int length = words == null ? 0 : words.stream().mapToInt(String::length).sum();
      return length < 100 ? new TreeMap<>() : new TreeMap<>(Map.of("words", "are too long"));
    }
  }

  /** A request with values of a special form, and with objects that have rules. */
  record Readers(
      @JsonDeserialize(using = Even.class) @Nullable Integer even,
      @JsonDeserialize(contentUsing = Even.class) @Nullable List<Integer> evens,
      @JsonDeserialize(using = Texts.class) @Nullable SortedMap<String, String> texts,
      @Nullable Range range,
      @Nullable List<Range> ranges) {}

  /** Two bounds in order. */
  record Range(Integer from, Integer to) implements RequestRules {
    @Override
    public void check(Fields given) {
      if (from != null && to != null && from > to) {
        given.refuse("to", ProblemCode.CONFLICTING_FIELDS, "to is less than from.", null);
      }
    }
  }

  record Subdomain(
      @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
          @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
          String name) {}

  static final class Even extends FieldReader<Integer> {
    @Override
    protected Optional<Integer> read(Value value) {
      return value
          .integer(0, 100)
          .flatMap(n -> n % 2 == 0 ? Optional.of(n) : value.bad("must be even", null));
    }
  }

  static final class Texts extends TextFields {
    Texts() {
      super(2, 3, 4);
    }
  }

  private static Sample bind(String yaml, Class<?>... groups) {
    return bind(yaml, Sample.class, groups);
  }

  private static <T extends Record> T bind(String yaml, Class<T> type, Class<?>... groups) {
    try {
      return BodyBinder.bind(
          BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))),
          type,
          groups);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> problems(String yaml, Class<?>... groups) {
    return problems(yaml, Sample.class, groups);
  }

  private static List<String> problems(
      String yaml, Class<? extends Record> type, Class<?>... groups) {
    Refusal refusal = catchThrowableOfType(Refusal.class, () -> bind(yaml, type, groups));
    return refusal.problems().stream().map(BodyBinderTest::text).toList();
  }

  private static String text(FieldProblem problem) {
    String suggestion = problem.suggestion() == null ? "" : " -> " + problem.suggestion();
    return problem.pointer() + " " + problem.detail() + suggestion;
  }

  @Test
  void aCorrectBodyIsBound() {
    assertThat(bind("{count: 3, name: ab, flag: true, part: {size: 0}, parts: [{size: 5}]}"))
        .isEqualTo(new Sample(3, "ab", null, null, true, new Part(0), List.of(new Part(5))));
    assertThat(bind("{count: 3, name: null}").name()).isNull();
  }

  /** Fails when one problem hides another: of a kind, a bound, a nested object or a name. */
  @Test
  void allProblemsAreReportedInTheOrderOfTheFields() {
    assertThat(
            problems(
                "{nmae: x, count: '4', name: Ab, text: abcd, flag: 1, part: {size: 6, sise: 1},"
                    + " parts: [{size: true}, {}]}"))
        .containsExactly(
            "/count count must be a whole number from 1 to 10, not \"4\". -> 4",
            "/name name must be a DNS label of at most 8 characters (a-z, 0-9 and - inside), not"
                + " \"Ab\". -> ab",
            "/text text must have 1 to 3 characters, not 4.",
            "/flag flag must be true or false, not a number.",
            "/part/size size must be a whole number from 0 to 5, not 6. -> 5",
            "/part/sise There is no field \"sise\". Did you mean size? -> size",
            "/parts/0/size size must be a whole number from 0 to 5, not true.",
            "/parts/1/size size is missing: Its size.",
            "/nmae There is no field \"nmae\". Did you mean name? -> name");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                             | /count count is missing: Number of things.",
        "{count: null}                  | /count count is missing: Number of things.",
        "{count: 1.0}                   | /count count must be a whole number from 1 to 10, not"
            + " 1.0.",
        "{count: 99999999999999999999}  | /count count must be a whole number from 1 to 10, not"
            + " 99999999999999999999. -> 10",
        "{count: []}                    | /count count must be a whole number from 1 to 10, not a"
            + " list.",
        "{count: 1, name: 7}            | /name name must be a text, not a number. -> \"7\"",
        "{count: 1, text: {}}           | /text text must be a text, not an object.",
        "{count: 1, part: 3}            | /part part must be an object with fields, not a number.",
        "{count: 1, part: x}            | /part part must be an object with fields, not a text.",
        "{count: 1, parts: {}}          | /parts parts must be a list, not an object.",
        "{count: 1, parts: ''}          | /parts parts must be a list, not a text.",
        "{count: 1, parts: [1]}         | /parts/0 parts[0] must be an object with fields, not a"
            + " number.",
        "'{count: 1, parts: [{size: 1}, {size: 1}, {size: 1}]}' | /parts parts has 3 items; at most"
            + " 2 are allowed."
      })
  void valueOfAWrongTypeIsRejectedWithItsBounds(String yaml, String problem) {
    assertThat(problems(yaml)).containsExactly(problem);
  }

  /** Fails when the first item of a wrong kind hides the others. */
  @Test
  void everyItemOfAWrongKindIsReported() {
    assertThat(problems("{count: 1, parts: [1, x]}"))
        .extracting(problem -> problem.substring(0, problem.indexOf(' ')))
        .containsExactly("/parts/0", "/parts/1");
  }

  @Test
  void descriptionOfAMissingFieldEndsWithOneFullStop() {
    assertThat(problems("{}", Described.class))
        .singleElement()
        .asString()
        .endsWith("size.")
        .doesNotEndWith("..");
  }

  /** Fails when a constraint of a group applies outside the group, or does not apply in it. */
  @Test
  void aGroupAddsItsConstraints() {
    assertThat(bind("{count: 1, ofTenant: 5}").ofTenant()).isEqualTo(5);
    assertThat(problems("{count: 0, ofTenant: 5}", OfProject.class))
        .containsExactly(
            "/count count must be a whole number from 1 to 10, not 0. -> 1",
            "/ofTenant ofTenant is a field of tenants.");
  }

  @Test
  void amountsTimesAndConstantsAreBound() {
    assertThat(bind("{amount: '2.50', type: SPOT}", Values.class))
        .isEqualTo(new Values(new BigDecimal("2.50"), null, CapacityType.SPOT, null));
    assertThat(bind("{at: '2030-01-01T02:00:00+02:00'}", Values.class).at())
        .isEqualTo("2030-01-01T00:00:00Z");
  }

  /** Fails when a constant is read from its number or in another case, or an amount is rounded. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{amount: 2.1234567} | /amount amount must be an amount of money from 0 to 5 with at most 6"
            + " decimals, not 2.1234567.",
        "{amount: 6}         | /amount amount must be an amount of money from 0 to 5 with at most 6"
            + " decimals, not 6.",
        "{type: 1}           | /type type must be one of RESERVED, ON_DEMAND, SPOT, not 1.",
        "{type: ' SPOT'}     | '/type type must be one of RESERVED, ON_DEMAND, SPOT, not \" SPOT\"."
            + " -> SPOT'",
        "{at: 2030-01-01}    | /at at must be a time from 1970 to 9998 such as"
            + " 2030-01-31T08:00:00Z, not \"2030-01-01\"."
      })
  void amountsTimesAndConstantsAreParsedStrictly(String yaml, String problem) {
    assertThat(problems(yaml, Values.class)).containsExactly(problem);
  }

  /** Fails when a refused value counts as absent, or a field that another requires is not named. */
  @Test
  void interdependentFieldsAreReportedWithTheOthers() {
    assertThat(problems("{amount: x, at: '2030-01-01T00:00:00Z', type: spot}", Values.class))
        .containsExactly(
            "/amount amount must be an amount of money from 0 to 5 with at most 6 decimals, not"
                + " \"x\".",
            "/at at excludes amount.",
            "/type type must be one of RESERVED, ON_DEMAND, SPOT, not \"spot\". -> SPOT",
            "/other other is missing: what it is of.");
  }

  /** Fails when null in a list reaches the record, where it would end the request with 500. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{words: [null]}            | /words/0 words[0] must be a text, not null. -> \"\"",
        "{words: [a, null]}         | /words/1 words[1] must be a text, not null. -> \"\"",
        "{steps: [null]}            | /steps/0 steps[0] must be a whole number from 1 to 100, not"
            + " null.",
        "{types: [SPOT, null]}      | /types/1 types[1] must be one of RESERVED, ON_DEMAND, SPOT,"
            + " not null.",
        "{parts: [{size: 1}, null]} | /parts/1 parts[1] must be an object with fields, not"
            + " null.",
      })
  void nullInAListIsRejectedWithItsIndex(String yaml, String problem) {
    assertThat(problems(yaml, Lists.class)).containsExactly(problem);
  }

  /**
   * Fails when the message has the bounds of the list or the raw text of the constraint, or a
   * nested record without {@code @Valid} is not checked.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{words: ['']}                       | /words/0 words[0] must have 1 to 20 characters, not"
            + " 0.",
        "{words: [abcdefghijklmnopqrstuvwx]} | /words/0 words[0] must have 1 to 20 characters, not"
            + " 24.",
        "{steps: [0]}                        | /steps/0 steps[0] must be a whole number from 1 to"
            + " 100, not 0. -> 1",
        "{revision: 99999999999999999999}     | /revision revision must be a whole number from 1 to"
            + " 2147483647, not 99999999999999999999. -> 2147483647",
        "{part: {size: 6}}                    | /part/size size must be a whole number from 0 to 5,"
            + " not 6. -> 5",
        "'{parts: [{size: 5}, {size: 6}]}'    | /parts/1/size size must be a whole number from 0 to"
            + " 5, not 6. -> 5",
        "{tree: []}                           | /tree tree must be an object with fields, not a"
            + " list.",
        "{pause: 0s}                          | /pause pause must be from 1ms to 1h, not \"0s\". ->"
            + " 1ms"
      })
  void itemsNestedFieldsAndDurationsAreRefusedWithTheirBounds(String yaml, String problem) {
    assertThat(problems(yaml, Lists.class)).containsExactly(problem);
  }

  @Test
  void valuesOfTheirOwnFormAreBound() {
    assertThat(bind("{even: 2, evens: [0, 4], texts: {a: '', b: x}}", Readers.class))
        .isEqualTo(
            new Readers(2, List.of(0, 4), new TreeMap<>(Map.of("a", "", "b", "x")), null, null));
  }

  /**
   * Fails when a reader's problem has the pointer of another value, or a refused item of a list
   * hides the problems of other fields.
   */
  @Test
  void problemsOfReadersAndOfNestedRulesAreReportedTogether() {
    assertThat(
            problems(
                "{even: 3, evens: [2, 5], texts: {b: 1}, range: {from: 2, to: 1}, ranges:"
                    + " [{from: 1, to: 1}, {from: 3, to: 1}]}",
                Readers.class))
        .extracting(problem -> problem.split(" ")[0])
        .containsExactly("/even", "/evens/1", "/texts/b", "/range/to", "/ranges/1/to");
  }

  /** Fails when a body is read again for every hundred wrong values: 1 MiB takes a minute. */
  @Test
  void aBodyIsBoundALimitedNumberOfTimes() {
    Refusal refusal =
        catchThrowableOfType(
            Refusal.class,
            () -> bind("{ranges: [" + "{from: x, to: 1}, ".repeat(2_000) + "]}", Readers.class));

    assertThat(refusal.problems()).hasSize(FieldProblems.MOST);
    assertThat((Integer) refusal.numbers().get("problems")).isLessThan(1_000);
  }

  /** Fails when a long text overflows the stack, which ends the request with 500. */
  @Test
  void aLongNameIsRefused() {
    assertThat(problems("{name: a" + ".a".repeat(20_000) + "}", Subdomain.class))
        .extracting(problem -> problem.split(" ")[0])
        .containsExactly("/name");
    assertThat(bind("{name: a" + ".a".repeat(126) + "}", Subdomain.class).name()).hasSize(253);
  }
}

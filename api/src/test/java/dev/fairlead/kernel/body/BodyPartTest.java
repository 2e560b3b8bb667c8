package dev.fairlead.kernel.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.annotation.JsonDeserialize;

class BodyPartTest {
  private final FieldProblems problems = new FieldProblems();

  /** A part whose name is a Java keyword. */
  record Part(
      @Min(1) @Max(5) Integer size,
      @JsonProperty("class") @Nullable Boolean kind,
      @Size(min = 1, max = 3) @Nullable List<@DnsLabel(max = 8) String> names) {}

  /** A part with lists of values and of objects. */
  record Lists(
      @Size(max = 2) @JsonDeserialize(contentUsing = Counted.class) @Nullable List<String> few,
      @Size(max = 5_000) @Nullable List<Item> many) {}

  /** An object in a list. */
  record Item(@Min(1) Integer size) {}

  static final class Counted extends FieldReader<String> {
    private static int items;

    @Override
    protected Optional<String> read(Value value) {
      items++;
      return value.text(8);
    }
  }

  private Fields fields(String yaml) throws IOException {
    return BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .fields(problems);
  }

  @Test
  void partOfABodyIsBound() throws IOException {
    Optional<Part> part = part(fields("{a: {size: 2, class: true, names: [a]}}"), "a", Part.class);

    assertThat(part).contains(new Part(2, true, List.of("a")));
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void absentPartHasNoProblem() throws IOException {
    assertThat(part(fields("{b: 1}"), "a", Part.class)).isEmpty();
    assertThat(problems.all()).isEmpty();
  }

  /** Fails when the pointer of a problem begins at the part, or a wrong part is returned. */
  @Test
  void problemsOfAPartHaveThePointerInTheBody() throws IOException {
    Fields all = fields("{a: [{size: 9, class: x, names: [B_1], odd: 1}, 5]}");
    List<Value> items = all.get("a").orElseThrow().items(2);

    assertThat(BodyBinder.part(items.get(0), Part.class)).isEmpty();
    assertThat(BodyBinder.part(items.get(1), Part.class)).isEmpty();
    assertThat(problems.all())
        .extracting(FieldProblem::pointer)
        .containsExactly("/a/0/size", "/a/0/class", "/a/0/names/0", "/a/0/odd", "/a/1");
  }

  /** Fails when a part that is read twice is reported twice. */
  @Test
  void partThatIsReadTwiceIsReportedOnce() throws IOException {
    Fields all = fields("{a: {size: x}}");

    assertThat(part(all, "a", Part.class)).isEmpty();
    assertThat(part(all, "a", Part.class)).isEmpty();
    assertThat(problems.all()).extracting(FieldProblem::pointer).containsExactly("/a/size");
  }

  /** Fails when an empty list has a different code than a list with too many items. */
  @Test
  void emptyListIsRefusedLikeALongOne() throws IOException {
    Fields all = fields("{a: {size: 1, names: []}, b: {size: 1, names: [a, b, c, d]}}");

    assertThat(part(all, "a", Part.class)).isEmpty();
    assertThat(part(all, "b", Part.class)).isEmpty();
    assertThat(problems.all())
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED, ProblemCode.LIMIT_EXCEEDED);
  }

  /**
   * Fails when the items of a list with too many items are read: with a megabyte of violated
   * constraints, the validation takes minutes.
   */
  @Test
  void itemsOfAListThatIsTooLongAreNotRead() throws IOException {
    Counted.items = 0;

    assertThat(part(fields("{a: {few: [a, b, c]}}"), "a", Lists.class)).isEmpty();
    assertThat(problems.all())
        .extracting(FieldProblem::code)
        .containsExactly(ProblemCode.LIMIT_EXCEEDED);
    assertThat(Counted.items).isZero();
  }

  /** Fails when constraints are checked after a thousand problems. */
  @Test
  void searchForProblemsEnds() throws IOException {
    String items = String.join(", ", Collections.nCopies(5_000, "{size: 0}"));

    assertThat(part(fields("{a: {many: [" + items + "]}}"), "a", Lists.class)).isEmpty();
    assertThat(problems.all()).hasSize(FieldProblems.MOST);
    assertThat(problems.count()).isBetween(1_000, 1_100);
  }

  private static <T extends Record> Optional<T> part(Fields of, String name, Class<T> type) {
    return of.get(name).flatMap(value -> BodyBinder.part(value, type));
  }
}

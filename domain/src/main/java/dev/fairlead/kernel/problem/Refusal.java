package dev.fairlead.kernel.problem;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A refused request with the content of its response. When it is thrown, nothing was stored. */
public final class Refusal extends RuntimeException {
  /** Among the numbers: after how many seconds the request may succeed. The answer's header too. */
  public static final String RETRY_AFTER = "retryAfterSeconds";

  private static final long serialVersionUID = 1L;
  private final ProblemCode code;
  private final transient List<FieldProblem> problems;
  private final transient SortedMap<String, Object> numbers;

  public Refusal(ProblemCode code, String detail) {
    this(code, detail, List.of());
  }

  public Refusal(ProblemCode code, String detail, List<FieldProblem> problems) {
    this(code, detail, problems, new TreeMap<>());
  }

  public Refusal(
      ProblemCode code,
      String detail,
      List<FieldProblem> problems,
      SortedMap<String, Object> numbers) {
    super(detail);
    this.code = code;
    this.problems = List.copyOf(problems);
    this.numbers = numbers;
  }

  /** Refuses the value of a field. */
  public static Refusal field(String pointer, String detail) {
    return field(pointer, detail, null);
  }

  public static Refusal field(String pointer, String detail, @Nullable String suggestion) {
    return field(ProblemCode.INVALID_FIELD, pointer, detail, suggestion);
  }

  /** Refuses a request because of one field. */
  public static Refusal field(
      ProblemCode code, String pointer, String detail, @Nullable String suggestion) {
    return new Refusal(code, detail, List.of(new FieldProblem(pointer, code, detail, suggestion)));
  }

  /**
   * Refuses a change of an object that another request changed since the caller read it.
   *
   * @param object kind and name of the object, as the first words of a sentence
   */
  public static Refusal changed(String object) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        object + " was changed since it was read. Read it again and repeat.");
  }

  /**
   * Returns the refusal for a value inside another body.
   *
   * @param pointer JSON pointer of the value in that body
   */
  public Refusal below(String pointer) {
    return new Refusal(
        code,
        String.valueOf(getMessage()),
        problems.stream()
            .map(each ->
                new FieldProblem(
                    pointer + each.pointer(), each.code(), each.detail(), each.suggestion()))
            .toList(),
        numbers);
  }

  public ProblemCode code() {
    return code;
  }

  public List<FieldProblem> problems() {
    return problems;
  }

  /** Every number that the text uses, by name. */
  public SortedMap<String, Object> numbers() {
    return numbers;
  }
}

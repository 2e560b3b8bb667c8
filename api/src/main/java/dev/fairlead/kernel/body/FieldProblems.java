package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All problems of one body, in the order in which they were found. At most {@value #MOST} are
 * stored, unless another limit is given.
 */
public final class FieldProblems {
  static final int MOST = 100;
  private static final int LONGEST_POINTER = 1024;
  private final List<FieldProblem> found = new ArrayList<>();
  private final int most;
  private int count;

  public FieldProblems() {
    this(MOST);
  }

  /** {@code most}: maximum number of stored problems, at least 1. */
  public FieldProblems(int most) {
    this.most = most;
  }

  /** Ignores a problem that is stored already, because some fields are read more than once. */
  public void add(String pointer, ProblemCode code, String detail, @Nullable String suggestion) {
    String where = pointer.substring(0, Math.min(pointer.length(), LONGEST_POINTER));
    FieldProblem problem = new FieldProblem(where, code, detail, suggestion);
    if (found.contains(problem)) {
      return;
    }
    count++;
    if (!full()) {
      found.add(problem);
    }
  }

  /** Adds the problems of another list. */
  void addAll(FieldProblems others) {
    others.found.forEach(
        each -> add(each.pointer(), each.code(), each.detail(), each.suggestion()));
    count += others.count - others.found.size();
  }

  /**
   * Returns whether one concerns the pointer or a pointer below it. Unknown once the limit is
   * reached.
   */
  boolean concern(String pointer) {
    return full()
        || found.stream()
            .map(FieldProblem::pointer)
            .anyMatch(at -> at.equals(pointer) || at.startsWith(pointer + "/"));
  }

  /** Returns whether the limit is reached, so that building another message is unnecessary. */
  boolean full() {
    return found.size() == most;
  }

  /** Number of reported problems, including those beyond the limit. */
  public int count() {
    return count;
  }

  public boolean none() {
    return count == 0;
  }

  public List<FieldProblem> all() {
    return List.copyOf(found);
  }

  /**
   * @throws Refusal with all problems, if any
   */
  public void refuse() {
    if (!none()) {
      throw refusal();
    }
  }

  /** All problems as one refusal: with their common code, otherwise INVALID_FIELD. */
  public Refusal refusal() {
    FieldProblem first = found.getFirst();
    boolean same = found.stream().allMatch(p -> p.code() == first.code());
    String more = count == 1 ? "" : " (and " + (count - 1) + " more, see errors)";
    String where = first.pointer().isEmpty() ? "" : first.pointer() + ": ";
    TreeMap<String, Object> numbers = new TreeMap<>();
    numbers.put("problems", count);
    return new Refusal(
        same ? first.code() : ProblemCode.INVALID_FIELD,
        where + first.detail() + more,
        all(),
        numbers);
  }
}

package dev.fairlead.work.policy;

import java.util.Optional;
import java.util.SortedMap;

/** The language of the rules of policies. Evaluation has a bound and no effect. */
public interface PolicyExpressions {
  /** The reason why a text is not an expression with the result true or false. */
  Optional<String> problem(String expression);

  /**
   * Evaluates a checked expression.
   *
   * @param job values that the expression reads as {@code job}
   * @throws IllegalArgumentException when the expression reads a value that the job does not have,
   *     or exceeds its bound
   */
  boolean allows(String expression, SortedMap<String, Object> job);
}

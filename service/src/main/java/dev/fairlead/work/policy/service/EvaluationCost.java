package dev.fairlead.work.policy.service;

import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationListener;
import java.util.Collection;
import java.util.Map;

/**
 * Counts the cost of one evaluation: the nodes, the sizes of their values, and the longest text for
 * each match of a regular expression. The cost does not depend on the load of the machine.
 */
final class EvaluationCost implements CelEvaluationListener {
  /** About 50 ms. */
  private static final long MOST = 250_000;

  private static final int ITEMS_OF_A_NODE = 16;
  static final String MATCHES = "matches";
  private long spent;
  private int longestText;

  /**
   * @throws IllegalStateException when the evaluation costs too much
   */
  @Override
  public void callback(CelExpr node, Object value) {
    spent += 1 + size(value) / ITEMS_OF_A_NODE;
    if (value instanceof String text) {
      longestText = Math.max(longestText, text.length());
    }
    if (node.getKind() == CelExpr.ExprKind.Kind.CALL && node.call().function().equals(MATCHES)) {
      spent += longestText;
    }
    if (exceeded()) {
      throw new IllegalStateException("its cost exceeds the limit");
    }
  }

  boolean exceeded() {
    return spent > MOST;
  }

  private static int size(Object value) {
    return switch (value) {
      case String text -> text.length();
      case Collection<?> items -> items.size();
      case Map<?, ?> map -> map.size();
      case null, default -> 0;
    };
  }
}

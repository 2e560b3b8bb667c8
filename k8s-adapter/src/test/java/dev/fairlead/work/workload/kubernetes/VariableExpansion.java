package dev.fairlead.work.workload.kubernetes;

import java.util.function.UnaryOperator;

/**
 * The expansion of commands and values by a kubelet: a port of {@code Expand} of Kubernetes
 * (third_party/forked/golang/expansion/expand.go).
 */
public final class VariableExpansion {
  private static final char OPERATOR = '$';

  private VariableExpansion() {}

  public static String expand(String input, UnaryOperator<String> mapping) {
    StringBuilder out = new StringBuilder();
    int checkpoint = 0;
    for (int cursor = 0; cursor < input.length(); cursor++) {
      if (input.charAt(cursor) == OPERATOR && cursor + 1 < input.length()) {
        out.append(input, checkpoint, cursor);
        cursor += read(input.substring(cursor + 1), mapping, out);
        checkpoint = cursor + 1;
      }
    }
    return out + input.substring(checkpoint);
  }

  /**
   * Appends the meaning of the text after an operator, and returns the number of characters that
   * were read.
   */
  private static int read(String input, UnaryOperator<String> mapping, StringBuilder out) {
    char first = input.charAt(0);
    if (first == OPERATOR) {
      out.append(OPERATOR);
      return 1;
    }
    int closer = first == '(' ? input.indexOf(')') : -1;
    if (closer > 0) {
      out.append(mapping.apply(input.substring(1, closer)));
      return closer + 1;
    }
    out.append(OPERATOR).append(first);
    return 1;
  }
}

package dev.fairlead.work.workload.kubernetes.front;

import java.util.Set;
import java.util.SortedMap;

/**
 * Expands {@code $(NAME)} in commands and values like a kubelet: a reference to an unknown variable
 * remains, and two dollars become one. Fairlead passes texts on unexpanded.
 */
final class FrontJobExpansion {
  private FrontJobExpansion() {}

  /** A variable with a value that only the node knows. */
  static final class Hidden extends Exception {
    private static final long serialVersionUID = 1L;

    Hidden(String name) {
      super(name, null, false, false);
    }
  }

  /**
   * The expansion exceeds the limits of a job, because each variable may reference others twice.
   */
  static final class TooLong extends Exception {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("it exceeds the limits of a job", null, false, false);
    }
  }

  /**
   * @param known variables by name
   * @param hidden names of variables with unknown values
   * @param most maximum number of characters of the result
   */
  static String of(String text, SortedMap<String, String> known, Set<String> hidden, int most)
      throws Hidden, TooLong {
    StringBuilder out = new StringBuilder();
    int at = 0;
    int last = text.lastIndexOf(')');
    while (at < text.length()) {
      if (out.length() > most) {
        throw new TooLong();
      }
      char c = text.charAt(at);
      if (c != '$' || at + 1 == text.length()) {
        out.append(c);
        at++;
        continue;
      }
      char next = text.charAt(at + 1);
      int end = next == '(' && at < last ? text.indexOf(')', at) : -1;
      if (next == '$') {
        out.append('$');
        at += 2;
      } else if (end > 0) {
        out.append(value(text.substring(at + 2, end), known, hidden));
        at = end + 1;
      } else {
        out.append(c).append(next);
        at += 2;
      }
    }
    if (out.length() > most) {
      throw new TooLong();
    }
    return out.toString();
  }

  private static String value(String name, SortedMap<String, String> known, Set<String> hidden)
      throws Hidden {
    if (hidden.contains(name)) {
      throw new Hidden(name);
    }
    String value = known.get(name);
    return value == null ? "$(" + name + ")" : value;
  }
}

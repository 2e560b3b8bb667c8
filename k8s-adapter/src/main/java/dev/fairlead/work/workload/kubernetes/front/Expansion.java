package dev.fairlead.work.workload.kubernetes.front;

import java.util.Set;
import java.util.SortedMap;

/**
 * {@code $(NAME)} in commands and values, as a kubelet replaces it: one that names no variable
 * stays, and of two dollars one stays. Fairlead passes texts on as they are.
 */
final class Expansion {
  private Expansion() {}

  /** A variable whose value is known to the node alone. */
  static final class Hidden extends Exception {
    private static final long serialVersionUID = 1L;

    Hidden(String name) {
      super(name, null, false, false);
    }
  }

  /** A text that grows beyond all that a job may have: each variable may name others twice. */
  static final class TooLong extends Exception {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("it grows beyond what a job may have", null, false, false);
    }
  }

  /**
   * @param known variables by name
   * @param hidden names of those whose values are not known here
   * @param most characters of the result
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

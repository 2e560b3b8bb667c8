package dev.fairlead.kernel.body;

import dev.fairlead.kernel.problem.ProblemCode;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Labels of jobs: Kubernetes syntax, without keys that are reserved for Fairlead or Kubernetes. */
public final class Labels {
  /** Maximum number of characters of a key with its prefix. */
  public static final int LONGEST_KEY = Names.LONGEST_SUBDOMAIN + 1 + Names.LONGEST_LABEL;

  private static final Pattern RESERVED =
      Pattern.compile("([a-z0-9-]+\\.)*(fairlead\\.dev|kubernetes\\.io|k8s\\.io|nvidia\\.com)/.*");

  private Labels() {}

  /** Reads labels up to the limit. An invalid label is a problem. */
  public static SortedMap<String, String> read(Value labels, int most) {
    SortedMap<String, String> read = new TreeMap<>();
    labels
        .entries(most)
        .forEach((key, value) -> {
          if (key(key, value)) {
            value(value).ifPresent(text -> read.put(key, text));
          }
        });
    return read;
  }

  /** Returns whether the text is a key of a label, reserved or not. */
  public static boolean isKey(String key) {
    int slash = key.indexOf('/');
    return Names.isWord(key.substring(slash + 1))
        && (slash < 0 || Names.isSubdomain(key.substring(0, slash)));
  }

  /**
   * Returns whether the text is a valid key for a label of a job. Otherwise reports a problem of
   * the value.
   */
  public static boolean key(String key, Value of) {
    if (!isKey(key)) {
      of.bad(
          "is not a label key: at most 63 letters, digits, -, _ and ., with an optional DNS prefix and"
              + " /",
          null);
      return false;
    }
    if (RESERVED.matcher(key).matches()) {
      of.refuse(
          ProblemCode.RESERVED_NAME,
          "Labels below fairlead.dev/, kubernetes.io/, k8s.io/ and nvidia.com/ are reserved",
          null);
      return false;
    }
    return true;
  }

  /** The value of a label, which may be empty. */
  public static Optional<String> value(Value value) {
    Optional<String> text = value.anyText(Names.LONGEST_LABEL);
    return text.filter(String::isEmpty).isPresent() ? text : text.flatMap(t -> Names.word(value));
  }
}

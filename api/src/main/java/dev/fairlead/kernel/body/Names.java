package dev.fairlead.kernel.body;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names that are valid in Kubernetes and in the file system. */
public final class Names {
  /** Pattern of a Kubernetes label value that is not empty. */
  public static final String WORD_PATTERN = "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$";

  public static final String WORD_RULE =
      "must begin and end with a letter or digit and contain only letters, digits, -, _ and .";

  /**
   * Pattern of DNS labels joined by dots. {@link #LONGEST_SUBDOMAIN} characters have at most 126
   * dots. Without that bound, a long text overflows the stack.
   */
  public static final String SUBDOMAIN_PATTERN =
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){0,126}$";

  public static final String SUBDOMAIN_RULE = "must be a name of a-z, 0-9, - and dots";
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern SUBDOMAIN = Pattern.compile(SUBDOMAIN_PATTERN);
  private static final Pattern WORD = Pattern.compile(WORD_PATTERN);
  public static final int LONGEST_LABEL = 63;
  public static final int LONGEST_SUBDOMAIN = 253;

  private Names() {}

  /** Returns whether the text is a DNS label (RFC 1123) within the maximum length. */
  public static boolean isLabel(String text, int longest) {
    return text.length() <= longest && LABEL.matcher(text).matches();
  }

  /** A DNS label (RFC 1123) within the maximum length. */
  public static Optional<String> label(Value value, int longest) {
    Optional<String> text =
        value.isText()
            ? Optional.of(value.anyText(Integer.MAX_VALUE).orElse(""))
            : value.text(longest);
    if (text.isEmpty()) {
      return text;
    }
    return isLabel(text.get(), longest)
        ? text
        : value.bad(
            "must be a DNS label of at most "
                + longest
                + " characters (a-z, 0-9 and - inside), not "
                + value.shown(),
            asLabel(text.get(), longest));
  }

  /** DNS labels joined by dots: the name of a Kubernetes object. */
  public static Optional<String> subdomain(Value value) {
    return value
        .text(LONGEST_SUBDOMAIN)
        .flatMap(text ->
            SUBDOMAIN.matcher(text).matches()
                ? Optional.of(text)
                : value.bad(SUBDOMAIN_RULE + ", not " + value.shown(), null));
  }

  /** A Kubernetes label value that is not empty. Also used for names of models and classes. */
  public static Optional<String> word(Value value) {
    return value
        .text(LONGEST_LABEL)
        .flatMap(text ->
            isWord(text)
                ? Optional.of(text)
                : value.bad(WORD_RULE + ", not " + value.shown(), null));
  }

  public static boolean isWord(String text) {
    return text.length() <= LONGEST_LABEL && WORD.matcher(text).matches();
  }

  public static boolean isSubdomain(String text) {
    return text.length() <= LONGEST_SUBDOMAIN && SUBDOMAIN.matcher(text).matches();
  }

  /** The nearest label to a text, null if no valid character is left. */
  private static @org.jspecify.annotations.Nullable String asLabel(String text, int longest) {
    String label =
        text.toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9-]+", "-")
            .replaceAll("-+", "-")
            .replaceAll("^-|-$", "");
    String cut =
        label.length() > longest ? label.substring(0, longest).replaceAll("-$", "") : label;
    return cut.isEmpty() ? null : cut;
  }
}

package dev.fairlead.care.health.web;

import dev.fairlead.kernel.body.Value;
import java.util.Optional;
import java.util.regex.Pattern;

/** Names and ids in reports of monitors. */
final class PlainText {
  static final int LONGEST_NODE = 253;
  static final int LONGEST_DEVICE = 64;
  private static final Pattern PLAIN = Pattern.compile("[-A-Za-z0-9_.:/]+");

  private PlainText() {}

  static Optional<String> of(Value value, int most) {
    return value.text(most).flatMap(text -> matching(value, text, PLAIN));
  }

  static Optional<String> matching(Value value, String text, Pattern allowed) {
    return allowed.matcher(text).matches()
        ? Optional.of(text)
        : value.bad("has characters that are not allowed: " + allowed.pattern(), null);
  }
}

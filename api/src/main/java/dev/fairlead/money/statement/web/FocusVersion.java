package dev.fairlead.money.statement.web;

import java.util.Arrays;
import java.util.Optional;

/**
 * Versions of FOCUS for the export of a statement. A later version has all columns of earlier ones.
 */
enum FocusVersion {
  V1_0("1.0"),
  V1_2("1.2");

  private final String text;

  FocusVersion(String text) {
    this.text = text;
  }

  /** Returns empty for an unknown version. */
  static Optional<FocusVersion> parse(String text) {
    return Arrays.stream(values()).filter(version -> version.text.equals(text)).findFirst();
  }

  boolean has(FocusVersion since) {
    return compareTo(since) >= 0;
  }
}

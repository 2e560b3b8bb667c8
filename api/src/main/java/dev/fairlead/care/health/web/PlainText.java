package dev.fairlead.care.health.web;

/** Names and ids in reports of monitors. */
final class PlainText {
  static final int LONGEST_NODE = 253;
  static final int LONGEST_DEVICE = 64;
  static final String PATTERN = "^[-A-Za-z0-9_.:/]+$";
  static final String RULE = "has characters that are not allowed: " + PATTERN;

  private PlainText() {}
}

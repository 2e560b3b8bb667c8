package dev.fairlead.kernel.web;

/** What a caller may say about a change beside the change itself. */
public enum WritePart {
  IF_MATCH("If-Match", "header"),
  VALIDATE_ONLY("validateOnly", "query"),
  KEY("Idempotency-Key", "header"),
  REASON("reason", "query");

  private final String wire;
  private final String place;

  WritePart(String wire, String place) {
    this.wire = wire;
    this.place = place;
  }

  /** The name of the header or parameter. */
  public String wire() {
    return wire;
  }

  /** Where a request has it: {@code header} or {@code query}. */
  public String place() {
    return place;
  }
}

package dev.fairlead.kernel.web;

/** A write option of a request. */
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

  /** Name of the header or parameter. */
  public String wire() {
    return wire;
  }

  /** Location in the request: {@code header} or {@code query}. */
  public String place() {
    return place;
  }
}

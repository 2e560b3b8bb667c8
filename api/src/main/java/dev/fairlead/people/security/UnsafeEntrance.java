package dev.fairlead.people.security;

/** The service would be open to unauthenticated callers, so it does not start. */
final class UnsafeEntrance extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final String remedy;

  UnsafeEntrance(String what, String remedy) {
    super(what);
    this.remedy = remedy;
  }

  String remedy() {
    return remedy;
  }
}

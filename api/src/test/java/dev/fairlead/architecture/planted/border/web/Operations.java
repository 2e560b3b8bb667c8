package dev.fairlead.architecture.planted.border.web;

import java.util.List;

class Operations {
  /** The body of an operation and the parts bound with it. */
  record BoundRequest(String name, List<PartRequest> parts) {}

  /** Bound as a part. */
  record PartRequest(String name) {}

  /** A violation: nothing binds it. */
  record UnboundRequest(String name) {}

  void put(@RequestBody BoundRequest request) {}

  /** A violation: all components are in a value, and the duration is a text in both. */
  record CopiedResponse(String name, int count, String lasts, List<String> nodes) {}

  /** The lists have other elements. */
  record OtherResponse(String name, int count, String lasts, List<Integer> nodes) {}

  /** Four records with the same components, one more than a feature may have. */
  record First(int a, int b, int c, int d) {}

  record Second(int a, int b, int c, int d) {}

  record Third(int a, int b, int c, int e) {}

  record Fourth(int a, int b, int c, int d) {}
}

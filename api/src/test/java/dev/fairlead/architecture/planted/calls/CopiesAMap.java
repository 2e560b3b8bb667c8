package dev.fairlead.architecture.planted.calls;

import java.util.Map;

record CopiesAMap(Map<String, String> labels) {
  CopiesAMap {
    labels = Map.copyOf(labels);
  }
}

package dev.fairlead.architecture.planted.calls;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class CollectsToASet {
  Set<String> names(Stream<String> all) {
    return all.collect(Collectors.toSet());
  }
}

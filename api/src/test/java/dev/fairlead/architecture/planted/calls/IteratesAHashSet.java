package dev.fairlead.architecture.planted.calls;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

class IteratesAHashSet {
  Supplier<Set<String>> names = HashSet::new;
}

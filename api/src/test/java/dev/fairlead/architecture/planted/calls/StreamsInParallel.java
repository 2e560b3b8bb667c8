package dev.fairlead.architecture.planted.calls;

import java.util.List;

class StreamsInParallel {
  long count(List<String> names) {
    return names.parallelStream().count();
  }
}

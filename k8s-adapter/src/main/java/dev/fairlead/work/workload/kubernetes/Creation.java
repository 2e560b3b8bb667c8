package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.ActionOutcome;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** What came of creating an object. */
sealed interface Creation<T extends HasMetadata> {
  /** It is there and ours, created now or before. */
  record Ours<T extends HasMetadata>(T object) implements Creation<T> {}

  /** It is not there, or not known to be. */
  record Not<T extends HasMetadata>(ActionOutcome why) implements Creation<T> {}
}

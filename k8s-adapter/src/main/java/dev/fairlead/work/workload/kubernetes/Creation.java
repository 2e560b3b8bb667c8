package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.ActionOutcome;
import io.fabric8.kubernetes.api.model.HasMetadata;

/** The result of creating an object. */
sealed interface Creation<T extends HasMetadata> {
  /** The object exists and is Fairlead's, created now or before. */
  record Ours<T extends HasMetadata>(T object) implements Creation<T> {}

  /** The object does not exist, or its existence is unknown. */
  record Not<T extends HasMetadata>(ActionOutcome why) implements Creation<T> {}
}

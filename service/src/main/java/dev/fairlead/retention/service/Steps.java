package dev.fairlead.retention.service;

import org.jspecify.annotations.Nullable;

/** Steps of one turn of which none keeps the others from being tried. */
final class Steps {
  private @Nullable RuntimeException failure;

  /** Returns whether it went well. */
  boolean run(Runnable step) {
    try {
      step.run();
      return true;
    } catch (RuntimeException failed) {
      if (failure == null) {
        failure = failed;
      } else {
        failure.addSuppressed(failed);
      }
      return false;
    }
  }

  boolean failed() {
    return failure != null;
  }

  /** Throws the first failure, with the others as suppressed ones. */
  void rethrow() {
    if (failure != null) {
      throw failure;
    }
  }
}

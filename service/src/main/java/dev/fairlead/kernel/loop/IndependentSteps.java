package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.transaction.FenceLost;
import org.jspecify.annotations.Nullable;

/**
 * Steps of one pass of a loop. After a failed step the others are still tried, and then the pass
 * fails.
 */
public final class IndependentSteps {
  private @Nullable RuntimeException failure;

  /**
   * Runs one step.
   *
   * @return whether it ended without a failure
   * @throws FenceLost as the step does: no more work is allowed under the lease
   */
  public boolean run(Runnable step) {
    try {
      step.run();
      return true;
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (RuntimeException failed) {
      if (failure == null) {
        failure = failed;
      } else {
        failure.addSuppressed(failed);
      }
      return false;
    }
  }

  public boolean failed() {
    return failure != null;
  }

  /** Throws the first failure, with the others as suppressed exceptions. */
  public void rethrow() {
    if (failure != null) {
      throw failure;
    }
  }
}

package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.transaction.FenceLost;
import org.jspecify.annotations.Nullable;

/**
 * Steps of one turn of a loop. A step that fails keeps no other from being tried; the turn fails
 * when all were tried.
 */
public final class Steps {
  private @Nullable RuntimeException failure;

  /**
   * Runs one step.
   *
   * @return whether it ended without a failure
   * @throws FenceLost as the step does: nothing more may be done under the lease
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

  /** Throws the first failure, with the others as suppressed ones. */
  public void rethrow() {
    if (failure != null) {
      throw failure;
    }
  }
}

package dev.fairlead;

import dev.fairlead.kernel.problem.FatalErrors;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a throwable that a thread did not catch: logs it, and ends the process immediately for an
 * error of {@link FatalErrors}. No shutdown hook runs: a hook that cannot allocate would hold the
 * leases of a process that no longer works.
 */
final class UncaughtErrors implements Thread.UncaughtExceptionHandler {
  /** Same exit code as {@code ExitOnOutOfMemoryError} of the virtual machine. */
  static final int EXIT_CODE = 3;

  private static final Logger LOG = LoggerFactory.getLogger(UncaughtErrors.class);
  private final IntConsumer halt;

  UncaughtErrors(IntConsumer halt) {
    this.halt = halt;
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failed) {
    if (!FatalErrors.in(failed)) {
      LOG.error("thread {} ended with an uncaught exception", thread.getName(), failed);
      return;
    }
    try {
      LOG.error(
          "Fairlead exits with code {}: {} in thread {}. Restart it, with more memory if it ran "
              + "out of memory.",
          EXIT_CODE,
          failed,
          thread.getName());
    } finally {
      halt.accept(EXIT_CODE);
    }
  }
}

package dev.fairlead.kernel.problem;

/**
 * Decides which failures a process must not survive. A thread rethrows them, and the process ends.
 */
public final class FatalErrors {
  private static final int CAUSES = 20;

  private FatalErrors() {}

  /**
   * Rethrows a fatal error of the virtual machine if it is the failure or one of its causes.
   * Returns otherwise. After an {@link OutOfMemoryError} any object may be half written, in threads
   * that never saw the error. A {@link StackOverflowError} is not fatal: it ends one call chain,
   * which has been unwound when it is caught.
   *
   * @throws VirtualMachineError the fatal one
   */
  public static void rethrow(Throwable failed) {
    Throwable cause = failed;
    for (int i = 0; i < CAUSES && cause != null; i++) {
      if (cause instanceof VirtualMachineError fatal && !(cause instanceof StackOverflowError)) {
        throw fatal;
      }
      cause = cause.getCause();
    }
  }

  /** Returns whether {@link #rethrow} throws. */
  public static boolean in(Throwable failed) {
    try {
      rethrow(failed);
      return false;
    } catch (VirtualMachineError fatal) {
      return true;
    }
  }
}

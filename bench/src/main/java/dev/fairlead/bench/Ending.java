package dev.fairlead.bench;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;

/**
 * Ends the process of a benchmark with an exit code, regardless of failures and running threads: 0
 * when its goals are met, 1 when not or after a failure, 2 for bad input, 3 when packages of
 * another system are unavailable.
 */
public final class Ending {
  /** Time limit of shutdown hooks, which stop databases and services that may hang. */
  private static final Duration HOOKS = Duration.ofSeconds(60);

  private Ending() {}

  /** A benchmark. */
  @FunctionalInterface
  public interface Work {
    /** Returns whether all goals are met. */
    boolean met() throws Exception;
  }

  /** Runs the work and does not return. */
  public static void after(String program, Work work) {
    int code = code(program, work, System.err);
    Thread.ofPlatform().daemon().name("ending").start(() -> haltLate(code));
    System.exit(code);
  }

  private static void haltLate(int code) {
    try {
      Thread.sleep(HOOKS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(code);
  }

  /** Returns the exit code. A failure is printed, with its stack trace if it is unexpected. */
  static int code(String program, Work work, PrintStream err) {
    try {
      return work.met() ? 0 : 1;
    } catch (IllegalArgumentException bad) {
      err.println(program + ": " + bad.getMessage());
      return 2;
    } catch (Packages.Unavailable missing) {
      err.println(program + ": not run: " + missing.getMessage());
      return Packages.MISSING;
    } catch (Throwable failed) {
      err.println(program + ": " + failed.getMessage());
      if (!expected(failed)) {
        failed.printStackTrace(err);
      }
      return 1;
    }
  }

  private static boolean expected(Throwable failed) {
    return failed instanceof StartFailed
        || failed instanceof ApiRefusal
        || failed instanceof IllegalStateException
        || failed instanceof IOException
        || failed instanceof UncheckedIOException;
  }
}

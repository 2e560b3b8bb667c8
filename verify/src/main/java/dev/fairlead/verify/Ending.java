package dev.fairlead.verify;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

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
    /** Measures, and adds each goal to the report. */
    void run(Arguments arguments, Report report) throws Exception;
  }

  /**
   * Runs the work and does not return.
   *
   * @param names of the arguments that the program accepts, without hyphens
   */
  public static void after(String program, List<String> names, String[] args, Work work) {
    int code =
        code(
            program, report -> work.run(Arguments.of(names, args), report), System.out, System.err);
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

  /** A program with its arguments. */
  @FunctionalInterface
  interface Judged {
    void by(Report report) throws Exception;
  }

  /** Returns the exit code. A failure is printed, with its stack trace if it is unexpected. */
  static int code(String program, Judged judged, PrintStream out, PrintStream err) {
    try {
      Report report = new Report(out);
      judged.by(report);
      return report.met() ? 0 : 1;
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

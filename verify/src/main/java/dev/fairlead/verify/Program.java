package dev.fairlead.verify;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.slf4j.LoggerFactory;

/**
 * A program with its options. It ends the process with an exit code, regardless of failures and
 * running threads: 0 when its goals are met, 1 when not or after a failure, 2 for bad input, 3 when
 * packages of another system are unavailable.
 */
public final class Program {
  /** Time limit of shutdown hooks, which stop databases and services that may hang. */
  private static final Duration HOOKS = Duration.ofSeconds(60);

  private static final String HELP = "--help";

  private final String name;
  private final String purpose;
  private final SequencedMap<String, String> options = new LinkedHashMap<>();

  private Program(String name, String purpose) {
    this.name = name;
    this.purpose = purpose;
  }

  /**
   * @param name target of make
   * @param purpose first line of the help
   */
  public static Program of(String name, String purpose) {
    return new Program(name, purpose);
  }

  /** Adds an option, by its name without the two hyphens. */
  public Program option(String option, String text) {
    options.put(option, text);
    return this;
  }

  /** The work of a program. */
  @FunctionalInterface
  public interface Work {
    /** Adds each goal to the report. */
    void run(Arguments arguments, Report report) throws Exception;
  }

  /** Switches off the product's log. */
  public static void quiet() {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
  }

  /** Reads the options. */
  public Arguments arguments(String... args) {
    return Arguments.of(options.keySet(), args);
  }

  /** Runs the work and does not return. */
  public void run(String[] args, Work work) {
    int code = code(args, work, System.out, System.err);
    Thread.ofPlatform().daemon().name("ending").start(() -> haltLate(code));
    System.exit(code);
  }

  /** Runs a measurement between two lines about the machine and does not return. */
  public void measure(String[] args, Work work) {
    run(
        args,
        (arguments, report) -> {
          report.machine();
          work.run(arguments, report);
          report.machine();
        });
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
  int code(String[] args, Work work, PrintStream out, PrintStream err) {
    if (List.of(args).contains(HELP)) {
      help().forEach(out::println);
      return 0;
    }
    try {
      Report report = new Report(out);
      work.run(arguments(args), report);
      return report.met() ? 0 : 1;
    } catch (IllegalArgumentException bad) {
      err.println(name + ": " + bad.getMessage());
      return 2;
    } catch (Packages.Unavailable missing) {
      err.println(name + ": not run: " + missing.getMessage());
      return Packages.MISSING;
    } catch (Throwable failed) {
      err.println(name + ": " + failed.getMessage());
      if (!expected(failed)) {
        failed.printStackTrace(err);
      }
      return 1;
    }
  }

  private List<String> help() {
    List<String> lines = new ArrayList<>();
    lines.add(name + ": " + purpose);
    options.forEach((option, text) -> lines.add("  %-18s %s".formatted("--" + option, text)));
    return lines;
  }

  private static boolean expected(Throwable failed) {
    return failed instanceof StartFailed
        || failed instanceof ApiRefusal
        || failed instanceof IllegalStateException
        || failed instanceof IOException
        || failed instanceof UncheckedIOException;
  }
}

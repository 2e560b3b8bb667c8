package dev.fairlead.verify;

import static dev.fairlead.kernel.text.Texts.output;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProgramTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int code(Program.Work work, String... args) {
    PrintStream text = new PrintStream(err, true, StandardCharsets.UTF_8);
    return Program.of("bench", "measures something")
        .option("minutes", "measured minutes")
        .code(args, work, text, text);
  }

  /** Fails when a benchmark has no exit code after an unexpected failure. */
  @Test
  void everyOutcomeHasAnExitCode() {
    assertThat(code((_, report) -> report.require(true))).isZero();
    assertThat(code((_, report) -> report.require(false))).isEqualTo(1);
    assertThat(
            code((_, report) -> {
              throw new IllegalArgumentException("MINUTES: found x");
            }))
        .isEqualTo(2);
    assertThat(
            code((_, report) -> {
              throw new UncheckedIOException("the service cannot be reached", new IOException());
            }))
        .isEqualTo(1);
    assertThat(text())
        .satisfies(output("program.service-cannot-be-reached"))
        .doesNotContain("\tat ");
    assertThat(
            code((_, report) -> {
              throw new AssertionError("unforeseen");
            }))
        .isEqualTo(1);
    assertThat(text()).contains("bench: unforeseen", "\tat ");
  }

  /** Fails when a missing peer counts as a failure, or ends with a stack trace. */
  @Test
  void unavailablePackagesAreNotAFailure() {
    assertThat(
            code((_, report) -> {
              throw new Packages.Unavailable("apt-get is missing");
            }))
        .isEqualTo(3);
    assertThat(text()).isEqualToIgnoringNewLines("bench: not run: apt-get is missing");
  }

  /** Fails when an option is not printed, or the help starts the work. */
  @Test
  void helpPrintsEachOptionAndDoesNotRun() {
    assertThat(
            code(
                (_, _) -> {
                  throw new AssertionError("the work has begun");
                },
                "--minutes",
                "5",
                "--help"))
        .isZero();
    assertThat(text()).contains("measures something", "--minutes", "measured minutes");
  }

  /** Fails when a mistyped option is ignored, or its nearest name is not printed. */
  @Test
  void unknownOptionIsRefusedWithTheNearestName() {
    assertThat(
            code(
                (_, _) -> {
                  throw new AssertionError("the work has begun");
                },
                "--minuts",
                "5"))
        .isEqualTo(2);
    assertThat(text()).contains("found \"--minuts\"", "--minutes?");
  }

  /** Fails when a class that a target of make starts has moved. */
  @Test
  void makeStartsExistingClasses() throws IOException {
    Path root = Path.of(System.getProperty("fairlead.root", "..")).toAbsolutePath().normalize();
    List<Path> sources = sources(root);
    List<String> started =
        Pattern.compile("\\bdev(?:\\.[a-z]+)+\\.[A-Z]\\w+")
            .matcher(Files.readString(root.resolve("Makefile")))
            .results()
            .map(MatchResult::group)
            .toList();
    assertThat(started)
        .hasSizeGreaterThan(20)
        .allMatch(name ->
            sources.stream()
                .anyMatch(dir -> Files.exists(dir.resolve(name.replace('.', '/') + ".java"))));
  }

  /** Source directories of all modules. */
  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> modules =
        Stream.concat(Files.list(root), Files.list(root.resolve("tools")))) {
      return modules
          .flatMap(module ->
              Stream.of("main", "test", "simulation")
                  .map(kind -> module.resolve("src/" + kind + "/java")))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private String text() {
    return err.toString(StandardCharsets.UTF_8);
  }
}

package dev.fairlead.work.workload;

import static dev.fairlead.kernel.text.Texts.reason;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.spec.CommandSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SetupScriptTest {
  private static final CommandSpec PROGRAM =
      CommandSpec.shell("echo \"program in $(basename \"$PWD\") $A\"");

  @TempDir Path directory;
  private Path message;

  @BeforeEach
  void nameTheMessage() {
    message = directory.resolve("termination-log");
  }

  @Test
  void commandWithoutSetupIsUnchanged() {
    assertThat(SetupScript.before(PROGRAM)).isEqualTo(PROGRAM);
  }

  /**
   * Fails when a setup changes its program, or its exit code remains as the reason of a later end.
   */
  @Test
  void programStartsUnchangedAfterItsSetup() throws Exception {
    Ended ended =
        run(
            PROGRAM,
            "mkdir sub; cd sub; export A=lost",
            "echo \"in $(basename \"$PWD\") $A with $#\" >&2; set +e; false; true");

    assertThat(ended.output()).isEqualTo("program in " + directory.getFileName() + " \n");
    assertThat(ended.errors())
        .satisfies(reason("setup-script.fairlead-setup-command-fairlead", 1, 2, 2, 2, 0));
    assertThat(ended.exitCode()).isZero();
    assertThat(message).isEmptyFile();
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(List.of("true", "exit 3"), 3, 2),
        Arguments.of(List.of("false\ntrue"), 1, 1),
        Arguments.of(List.of("set +e", "false", "true"), 1, 2),
        Arguments.of(List.of("set +e; (exit 7)"), 7, 1),
        Arguments.of(List.of("true", "true", "fairlead-no-such-program"), 127, 3),
        Arguments.of(List.of("if"), 2, 1),
        Arguments.of(List.of("echo 'it''s'; test \"$0\" = x"), 1, 1));
  }

  /** Fails when a program starts after a failed setup, or the failed command is not named. */
  @ParameterizedTest
  @MethodSource("failures")
  void theFirstFailedCommandEndsTheMember(List<String> setup, int exitCode, int failed)
      throws Exception {
    Ended ended = run(PROGRAM, setup.toArray(String[]::new));

    assertThat(ended.output()).doesNotContain("program");
    assertThat(ended.exitCode()).isEqualTo(exitCode);
    assertThat(ended.errors()).endsWith("fairlead: setup ended with exit code " + exitCode + "\n");
    assertThat(SetupScript.reason(Files.readString(message))).isEqualTo("SetupFailed " + failed);
  }

  @Test
  void aSetupThatExitsWithZeroStartsTheProgram() throws Exception {
    assertThat(run(PROGRAM, "exit 0", "false").output()).startsWith("program");
  }

  @Test
  void unwritableMessageEndsNothing() throws Exception {
    message = directory.resolve("missing/termination-log");

    assertThat(run(PROGRAM, "true").output()).startsWith("program");
  }

  /** Fails when a member that is stopped in its setup is killed after its grace period. */
  @Test
  void stopDoesNotWaitForTheSetup() throws Exception {
    Process process = start(PROGRAM, "echo started; exec sleep 60");
    assertThat(process.inputReader(UTF_8).readLine()).isEqualTo("started");
    process.destroy();

    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(message).isEmptyFile();
  }

  @Test
  void programOutputIsNotTakenForASetupMessage() {
    assertThat(SetupScript.reason(null)).isNull();
    assertThat(SetupScript.reason("CUDA out of memory")).isNull();
    assertThat(SetupScript.reason("x fairlead: setup command 1 of 2")).isNull();
  }

  private record Ended(int exitCode, String output, String errors) {}

  private Ended run(CommandSpec program, String... setup) throws Exception {
    Process process = start(program, setup);
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new Ended(process.waitFor(), output, Files.readString(directory.resolve("errors")));
  }

  private Process start(CommandSpec program, String... setup) throws IOException {
    List<String> words =
        SetupScript.before(program.preparedBy(List.of(setup))).command().stream()
            .map(word -> word.replace("/dev/termination-log", message.toString()))
            .toList();
    return new ProcessBuilder(words)
        .directory(directory.toFile())
        .redirectError(directory.resolve("errors").toFile())
        .start();
  }
}

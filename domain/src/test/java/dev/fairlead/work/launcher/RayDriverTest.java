package dev.fairlead.work.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The script of the launcher {@code ray-driver}, with a socket as the head. */
class RayDriverTest {
  private static final String SCRIPT = "ray-driver";

  @TempDir private Path home;

  private int starts = 900;

  private Process start(int port, String... program) throws IOException {
    String text = Launchers.of(SCRIPT).files().get(SCRIPT);
    Path script =
        Files.writeString(
            home.resolve(SCRIPT),
            text.replace("STARTS = 900", "STARTS = " + starts)
                .replace("/dev/termination-log", home.resolve("log").toString()));
    List<String> words = new ArrayList<>(List.of("python3", script.toString()));
    words.addAll(List.of(program));
    ProcessBuilder process = new ProcessBuilder(words).redirectErrorStream(true);
    process.environment().put("RAY_ADDRESS", "ray://127.0.0.1:" + port);
    process.environment().put("PYTHONPATH", home.toString());
    return process.start();
  }

  private static int code(Process process) throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private static ServerSocket head() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** Fails when the job ends with a different exit code than its program. */
  @Test
  void rayJobEndsWithTheExitCodeOfItsProgram() throws IOException, InterruptedException {
    try (ServerSocket head = head()) {
      assertThat(code(start(head.getLocalPort(), "sh", "-c", "exit 7"))).isEqualTo(7);
      assertThat(code(start(head.getLocalPort(), "true"))).isZero();
    }
  }

  /** Fails when a client of a different version than its cluster fails without a hint. */
  @Test
  void failedProgramNamesTheVersionsOfItsImage() throws IOException, InterruptedException {
    try (ServerSocket head = head()) {
      Process driver = start(head.getLocalPort(), "sh", "-c", "exit 7");
      String output = new String(driver.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(code(driver)).isEqualTo(7);
      assertThat(output).contains("exit code 7", "which has Ray ", " and Python 3.");
    }
  }

  /** A package {@code ray} whose {@code init} has this body. */
  private void ray(String init) throws IOException {
    Path _ =
        Files.writeString(
            home.resolve("ray.py"),
            "def init(**k):\n  %s\n\ndef shutdown():\n  pass\n".formatted(init));
  }

  /**
   * Fails when a client server that the head never starts counts as a failure of the program, or
   * the program runs without one.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "raise ConnectionAbortedError('Starting Ray client server failed. See ray_client_server_23000.err')",
        "raise ConnectionError('ray client connection timeout')",
        "import time; time.sleep(60)"
      })
  void driverWithoutAClientServerEndsBeforeItsProgram(String init)
      throws IOException, InterruptedException {
    starts = 3;
    ray(init);
    try (ServerSocket head = head()) {
      Process driver = start(head.getLocalPort(), "sh", "-c", "echo runs");
      String output = new String(driver.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(code(driver)).isEqualTo(121);
      assertThat(output).contains("started no Ray client server").doesNotContain("runs");
      assertThat(home.resolve("log")).hasContent("fairlead: no Ray client server");
    }
  }

  /** Fails when an error that the program would meet too delays it, or counts against the head. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "pass",
        "raise RuntimeError('Version mismatch')",
        "raise ConnectionAbortedError('AttributeError: JobConfig')"
      })
  void programReportsEveryOtherProblem(String init) throws IOException, InterruptedException {
    ray(init);
    try (ServerSocket head = head()) {
      assertThat(code(start(head.getLocalPort(), "sh", "-c", "exit 7"))).isEqualTo(7);
      assertThat(code(start(head.getLocalPort(), "sh", "-c", "exit 121")))
          .as("a program cannot report a missing server")
          .isEqualTo(1);
      assertThat(home.resolve("log")).doesNotExist();
    }
  }

  /** Fails when the head is not asked again while it starts slowly. */
  @Test
  void aServerThatStartsLateStartsTheProgram() throws IOException, InterruptedException {
    ray(
        "import os\n  if not os.path.exists('%1$s'):\n    open('%1$s', 'w').close()\n    raise ConnectionError('later')"
            .formatted(home.resolve("asked")));
    try (ServerSocket head = head()) {
      assertThat(code(start(head.getLocalPort(), "sh", "-c", "exit 7"))).isEqualTo(7);
    }
    assertThat(home.resolve("asked")).exists();
  }

  /** A driver whose cluster ends, and then its program with exit code 1. */
  private Process withoutItsCluster() throws IOException {
    ServerSocket head = head();
    Process driver = start(head.getLocalPort(), "sh", "-c", "echo runs; read _; exit 1");
    assertThat(driver.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("runs");
    List<ProcessHandle> program = driver.descendants().toList();
    head.close();
    driver.getOutputStream().close();
    program.forEach(each -> each.onExit().join());
    return driver;
  }

  /** Fails when the loss of the cluster counts as a failure of the program. */
  @Test
  void driverWithoutItsClusterWaitsUntilStopped() throws IOException, InterruptedException {
    Process driver = withoutItsCluster();
    assertThat(driver.inputReader(StandardCharsets.UTF_8).readLine()).contains("exit code 1");
    driver.destroy();
    assertThat(code(driver)).isEqualTo(143);
  }

  /** Fails when a driver that is stopped while it looks for its cluster counts as failed. */
  @Test
  void driverIsStoppedWhileItLooksForItsCluster() throws IOException, InterruptedException {
    Process driver = withoutItsCluster();
    driver.destroy();
    assertThat(code(driver)).isEqualTo(143);
  }

  /** Fails when a stop waits for another cluster, although the program has ended. */
  @Test
  void stoppedDriverEndsWithItsProgram() throws IOException, InterruptedException {
    ServerSocket head = head();
    String program = "trap 'exit 15' TERM; echo runs; while :; do sleep 0.1; done";
    Process driver = start(head.getLocalPort(), "sh", "-c", program);
    try (BufferedReader output = driver.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).isEqualTo("runs");
      head.close();
      driver.destroy();
      assertThat(code(driver)).isEqualTo(15);
    }
  }
}

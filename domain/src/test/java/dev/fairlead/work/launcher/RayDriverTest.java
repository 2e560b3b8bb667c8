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

/** The script of the launcher {@code ray-driver}, with a socket as the head. */
class RayDriverTest {
  private static final String SCRIPT = "ray-driver";

  @TempDir private Path home;

  private Process start(int port, String... program) throws IOException {
    Path script = Files.writeString(home.resolve(SCRIPT), Launchers.of(SCRIPT).files().get(SCRIPT));
    List<String> words = new ArrayList<>(List.of("python3", script.toString()));
    words.addAll(List.of(program));
    ProcessBuilder process = new ProcessBuilder(words).redirectErrorStream(true);
    process.environment().put("RAY_ADDRESS", "ray://127.0.0.1:" + port);
    return process.start();
  }

  private static int code(Process process) throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private static ServerSocket head() throws IOException {
    return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  /** Fails when the job ends with another exit code than its program. */
  @Test
  void rayJobEndsWithTheExitCodeOfItsProgram() throws IOException, InterruptedException {
    try (ServerSocket head = head()) {
      assertThat(code(start(head.getLocalPort(), "sh", "-c", "exit 7"))).isEqualTo(7);
      assertThat(code(start(head.getLocalPort(), "true"))).isZero();
    }
  }

  /** Fails when a client of another version than its cluster fails without a hint. */
  @Test
  void failedProgramNamesTheVersionsOfItsImage() throws IOException, InterruptedException {
    try (ServerSocket head = head()) {
      Process driver = start(head.getLocalPort(), "sh", "-c", "exit 7");
      String output = new String(driver.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(code(driver)).isEqualTo(7);
      assertThat(output).contains("exit code 7", "which has Ray ", " and Python 3.");
    }
  }

  /** Fails when the loss of the cluster counts as a failure of the program. */
  @Test
  void driverWithoutItsClusterWaitsUntilStopped() throws IOException, InterruptedException {
    ServerSocket head = head();
    Process driver = start(head.getLocalPort(), "sh", "-c", "echo runs; read _; exit 1");
    try (BufferedReader output = driver.inputReader(StandardCharsets.UTF_8)) {
      assertThat(output.readLine()).isEqualTo("runs");
      head.close();
      driver.getOutputStream().close();
      assertThat(output.readLine()).contains("exit code 1");
      driver.destroy();
      assertThat(code(driver)).isEqualTo(143);
    }
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

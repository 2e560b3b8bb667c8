package dev.fairlead.work.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script of the launcher {@code ray} on a head, with an empty Ray. */
class RayLaunchTest {
  private static final int PATIENCE_MILLIS = 30_000;
  private static final String SCRIPT = "ray-launch";

  @TempDir private Path home;
  private Process head;
  private BufferedReader output;
  private int port;

  @BeforeEach
  void start() throws IOException {
    Path program = Files.writeString(home.resolve(SCRIPT), Launchers.of("ray").files().get(SCRIPT));
    // It starts once the head listens, and ends with the test, which holds its stdin open.
    Path ray = Files.writeString(home.resolve("ray"), "#!/bin/sh\necho listens\nexec cat\n");
    assertThat(ray.toFile().setExecutable(true)).isTrue();
    Files.writeString(
        home.resolve("ray.py"),
        """
        import os
        def init(**options): pass
        def nodes(): return [{"Alive": os.path.exists(os.environ["JOINED"])}]
        """);
    port = freePort();
    String own = Integer.toString(port);
    ProcessBuilder process =
        new ProcessBuilder(
                List.of("python3", program.toString(), "1", "1", "1", "6379", "8265", own, "false"))
            .redirectErrorStream(true);
    process
        .environment()
        .putAll(
            Map.of(
                "PATH", home + File.pathSeparator + System.getenv("PATH"),
                "PYTHONPATH", home.toString(),
                "JOINED", home.resolve("joined").toString(),
                "FAIRLEAD_HEAD", "localhost",
                "FAIRLEAD_ROLE", "worker",
                "FAIRLEAD_INDEX", "0",
                "FAIRLEAD_GPUS", "0"));
    head = process.start();
    output = head.inputReader(StandardCharsets.UTF_8);
    assertThat(output.readLine()).isEqualTo("listens");
  }

  @AfterEach
  void stop() throws IOException {
    head.descendants().forEach(ProcessHandle::destroyForcibly);
    head.destroyForcibly();
    head.getOutputStream().close();
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private Socket member() throws IOException {
    Socket member = new Socket(InetAddress.getLoopbackAddress(), port);
    member.setSoTimeout(PATIENCE_MILLIS);
    return member;
  }

  private static String word(Socket member) throws IOException {
    return new String(member.getInputStream().readNBytes(3), StandardCharsets.UTF_8);
  }

  /** Fails when the head waits for a member that joined too late for the end message. */
  @Test
  void memberJoiningWhileOthersLeaveGetsTheCommand() throws Exception {
    try (Socket first = member()) {
      Files.createFile(home.resolve("joined"));
      assertThat(word(first)).isEqualTo("end");

      try (Socket late = member()) {
        assertThat(word(late)).isEqualTo("end");
      }
    }
    assertThat(head.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    assertThat(head.exitValue()).isEqualTo(1);
  }
}

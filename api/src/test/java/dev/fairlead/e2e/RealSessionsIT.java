package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Commands and connections in processes of a real node, through API server and kubelet. */
@Tag("realnode")
@ExtendWith(RealNodes.class)
class RealSessionsIT {
  /** Answers each line on its loopback interface in capitals. */
  private static final String SERVER =
      """
      import socket
      server = socket.create_server(("127.0.0.1", 7000))
      print("ready")
      while True:
          peer = server.accept()[0]
          for line in peer.makefile():
              peer.sendall(line.upper().encode())
          peer.close()
      """;

  private static RealFairlead real;
  private static String job;

  @BeforeAll
  static void aServerOnARealNode() {
    real = RealFairlead.shared();
    job = real.submit("", SERVER);
    real.awaitLog(job, "worker-0", "ready");
    assertThat(SessionSocketClient.refused(exec(""), SessionSocketClient.command("true")))
        .as("without the rights")
        .isEqualTo(409);
    real.cluster().plane().applies("deploy/cluster-exec.yaml");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          try {
            SessionSocketClient.open(exec(""), SessionSocketClient.command("true")).close();
            return true;
          } catch (java.util.concurrent.CompletionException notYet) {
            return false;
          }
        });
  }

  private static String exec(String query) {
    return real.base() + job + "/exec" + query;
  }

  /** Fails when the input has no end: {@code cat} would wait for ever. */
  @Test
  void aCommandReadsItsInputToTheEnd() {
    SessionSocketClient session =
        SessionSocketClient.open(
            exec("?stdin=true"),
            SessionSocketClient.command("sh", "-c", "wc -c; echo bad >&2; exit 3"));
    for (int i = 0; i < 40; i++) {
      session.send(0, "x".repeat(50_000));
    }
    session.endOfInput();

    assertThat(session.awaitClose()).isEqualTo("1000");
    assertThat(session.text(1).strip()).isEqualTo("2000000");
    assertThat(session.text(2)).isEqualTo("bad\n");
    assertThat(session.text(3)).contains("\"message\":\"3\"");
  }

  @Test
  void aTerminalHasASizeAndEndsWithItsShell() {
    SessionSocketClient session =
        SessionSocketClient.open(exec("?stdin=true&tty=true"), SessionSocketClient.command("sh"));
    session.send(4, "{\"Width\": 97, \"Height\": 31}");
    session.send(0, "while ! stty size | grep 97; do sleep 0.1; done\n");
    session.awaitText(1, "31 97");
    session.send(0, "exit 5\n");

    assertThat(session.awaitClose()).isEqualTo("1000");
    assertThat(session.text(3)).contains("\"message\":\"5\"");
  }

  @Test
  void aPortOfTheLoopbackInterfaceIsReached() {
    SessionSocketClient session =
        SessionSocketClient.open(real.base() + job + "/port-forward?port=7000");
    session.send(0, "hello\n");
    session.awaitText(1, "HELLO");
    session.close();
  }

  @Test
  void aPortThatNobodyHasOpenedIsReported() {
    SessionSocketClient session =
        SessionSocketClient.open(real.base() + job + "/port-forward?port=7001");
    session.send(0, "hello\n");
    session.awaitText(2, "refused");
  }

  /** Fails when the end of the process leaves its sessions open. */
  @Test
  void aSessionEndsWithItsMember() {
    String asleep =
        real.submit(
            "preemption: {gracePeriod: 1s}",
            "import time; print('up', flush=True); time.sleep(3600)");
    real.awaitLog(asleep, "worker-0", "up");
    SessionSocketClient session =
        SessionSocketClient.open(
            real.base() + asleep + "/exec?stdin=true", SessionSocketClient.command("sleep", "600"));
    real.cancel(asleep);
    assertThat(session.awaitClose()).isNotEmpty();
  }
}

package dev.fairlead.work.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class S3ServerTest {
  /** Fails when a server outlives a killed JVM, whose pipes the system closes. */
  @Test
  void serverEndsWithTheJvmThatStartedIt() throws Exception {
    Process tied =
        S3Server.tied(List.of("sh", "-c", "echo $$; exec sleep 1000"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    ProcessHandle server =
        ProcessHandle.of(Long.parseLong(tied.inputReader().readLine())).orElseThrow();

    tied.getOutputStream().close();

    assertThat(server.onExit().get(60, TimeUnit.SECONDS).isAlive()).isFalse();
    assertThat(tied.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /**
   * Fails when the test waits for a server that has ended, for example because its port is in use.
   */
  @Test
  void serverThatExitsIsDetected() throws Exception {
    Process tied = S3Server.tied(List.of("false")).start();
    assertThat(tied.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }
}

package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServiceChildTest {
  /**
   * Fails without the watch on standard input: a launcher that is killed would leave its service
   * behind.
   */
  @Test
  void childEndsWhenItsLauncherIsGone() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        List.of(
            java,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ServiceChild.class.getName(),
            "nowhere",
            RunsForEver.class.getName());
    Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      assertThat(child.inputReader().readLine()).isEqualTo("running");
      child.getOutputStream().close();
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).isZero();
    } finally {
      child.destroyForcibly();
    }
  }

  /** Stands for the service. */
  public static final class RunsForEver {
    public static void main(String[] args) throws InterruptedException {
      System.out.println("running");
      new CountDownLatch(1).await();
    }
  }
}

package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.ScriptedApi.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A service that answers at the child's ports before the child has bound them is a foreign one. */
class ServiceProcessTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path scratch;
  private ScriptedApi foreign;

  @BeforeEach
  void anotherServiceListens() throws Exception {
    foreign = new ScriptedApi(request -> Answer.ok("{\"status\":\"UP\"}"));
  }

  @AfterEach
  void itEnds() {
    foreign.close();
  }

  /** Fails when only the port is checked: the launcher would adopt the foreign service. */
  @Test
  void foreignServiceAtThePortOfAnEndedChildIsNotMistakenForIt() throws Exception {
    try (ServiceProcess child =
        ServiceProcess.start(settings(), FindsItsPortTaken.class.getName())) {
      assertThatThrownBy(() -> child.awaitReady(LONG))
          .isInstanceOf(StartFailed.class)
          .hasMessageStartingWith("the service ended with code 1")
          .hasMessageContaining("port taken");
    }
  }

  /**
   * Fails when a running child process is sufficient: a second later it may find its port in use.
   */
  @Test
  void foreignServiceAtThePortOfAStartingChildIsNotMistakenForIt() throws Exception {
    try (ServiceProcess child = ServiceProcess.start(settings(), StartsForEver.class.getName())) {
      assertThatThrownBy(() -> child.awaitReady(Duration.ofSeconds(1)))
          .isInstanceOf(StartFailed.class)
          .hasMessageStartingWith("the service was not ready");
    }
  }

  @Test
  void startedChildThatRespondsIsReady() throws Exception {
    try (ServiceProcess child = ServiceProcess.start(settings(), Serves.class.getName())) {
      assertThat(child.awaitReady(LONG)).isPositive();
    }
  }

  private ServiceSettings settings() {
    int port = foreign.client().address().getPort();
    return new ServiceSettings(
        System.getProperty("java.class.path"),
        ServiceSettings.QUICK,
        new TreeMap<>(),
        new LoopbackPorts(port, port),
        scratch.resolve("service.log"));
  }

  /** Ends like a service that finds its port in use. */
  public static final class FindsItsPortTaken {
    public static void main(String[] args) {
      System.out.println("port taken");
      System.exit(1);
    }
  }

  /** Has not bound its port yet. */
  public static final class StartsForEver {
    public static void main(String[] args) throws InterruptedException {
      new CountDownLatch(1).await();
    }
  }

  /** Has bound its port and continues in another thread. */
  public static final class Serves {
    public static void main(String[] args) {
      new Thread(ServiceProcessTest::waitForEver).start();
    }
  }

  private static void waitForEver() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

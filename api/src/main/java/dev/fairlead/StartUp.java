package dev.fairlead;

import dev.fairlead.kernel.errors.DatabaseTrouble;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts the service although the database may become unreachable during the start, as in a
 * failover: repeats the start at most {@value #STARTS} times. Each start waits up to a minute for a
 * database that is unreachable at its beginning.
 */
public final class StartUp {
  private static final Logger LOG = LoggerFactory.getLogger(StartUp.class);
  private static final int STARTS = 5;
  private final Supplier<ConfigurableApplicationContext> start;

  /** Pause between a failed start and the next. */
  public interface Pause {
    void pass() throws InterruptedException;
  }

  public StartUp(Supplier<ConfigurableApplicationContext> start) {
    this.start = start;
  }

  /**
   * Returns the running context.
   *
   * @throws RuntimeException the failure of the last start. Code of the first start if the database
   *     was not the cause
   */
  public ConfigurableApplicationContext run(Pause between) {
    for (int i = 1; ; i++) {
      try {
        return start.get();
      } catch (RuntimeException failed) {
        if (i == STARTS || !DatabaseTrouble.in(failed) || !passed(between)) {
          throw failed;
        }
        LOG.warn("the database was lost during start {} of {}: starting again", i, STARTS);
      }
    }
  }

  private static boolean passed(Pause between) {
    try {
      between.pass();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}

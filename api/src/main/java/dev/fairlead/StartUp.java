package dev.fairlead;

import dev.fairlead.kernel.web.DatabaseTrouble;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A start during which the database may go away, as it does in a failover: it is made again, at
 * most {@value #STARTS} times. Each start by itself waits up to a minute for a database that is not
 * there when it begins.
 */
public final class StartUp {
  private static final Logger LOG = LoggerFactory.getLogger(StartUp.class);
  private static final int STARTS = 5;
  private final Supplier<ConfigurableApplicationContext> start;

  /** What passes between a start that failed and the next. */
  public interface Pause {
    void pass() throws InterruptedException;
  }

  public StartUp(Supplier<ConfigurableApplicationContext> start) {
    this.start = start;
  }

  /**
   * Returns what runs.
   *
   * @throws RuntimeException what the last start failed with; the first, where it was not the
   *     database
   */
  public ConfigurableApplicationContext run(Pause between) {
    for (int i = 1; ; i++) {
      try {
        return start.get();
      } catch (RuntimeException failed) {
        if (i == STARTS || !DatabaseTrouble.in(failed) || !passed(between)) {
          throw failed;
        }
        LOG.warn("the database went away during start {} of {}: starting again", i, STARTS);
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

package dev.fairlead;

import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts Fairlead: one deployable with roles that the configuration selects. */
@SpringBootApplication
public class FairleadApplication {
  private static final Duration BETWEEN_STARTS = Duration.ofSeconds(1);

  public static void main(String[] args) {
    AddressCache.shorten();
    Thread.setDefaultUncaughtExceptionHandler(new UncaughtErrors(Runtime.getRuntime()::halt));
    new StartUp(() -> SpringApplication.run(FairleadApplication.class, args))
        .run(() -> Thread.sleep(BETWEEN_STARTS));
  }
}

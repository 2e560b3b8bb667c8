package dev.fairlead.kernel.shell;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.fairlead.kernel.identity.IdSource;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Provides the machine's clock and a source of UUIDv7. */
@Configuration(proxyBeanMethods = false)
class ShellConfiguration {
  /**
   * Truncates times to microseconds, the resolution of the database, so a response and a later read
   * show the same time.
   */
  @Bean
  InstantSource clock() {
    return Clock.tick(Clock.systemUTC(), Duration.of(1, ChronoUnit.MICROS));
  }

  /** RFC 9562 version 7, monotonic within this process even in one millisecond. */
  @Bean
  IdSource ids() {
    TimeBasedEpochGenerator generator = Generators.timeBasedEpochGenerator();
    return generator::generate;
  }
}

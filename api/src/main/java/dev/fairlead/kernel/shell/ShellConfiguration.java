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

/** Offers the machine's clock and a source of UUIDv7. */
@Configuration(proxyBeanMethods = false)
class ShellConfiguration {
  /** In microseconds, as the database stores times: an answer and a later read say the same. */
  @Bean
  InstantSource clock() {
    return Clock.tick(Clock.systemUTC(), Duration.of(1, ChronoUnit.MICROS));
  }

  /** RFC 9562 version 7, rising within this process also inside one millisecond. */
  @Bean
  IdSource ids() {
    TimeBasedEpochGenerator generator = Generators.timeBasedEpochGenerator();
    return generator::generate;
  }
}

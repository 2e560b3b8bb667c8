package dev.fairlead.shell;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.fairlead.identity.IdSource;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Offers the machine's clock and a source of UUIDv7. */
@Configuration(proxyBeanMethods = false)
class ShellConfiguration {
  @Bean
  InstantSource clock() {
    return InstantSource.system();
  }

  /** RFC 9562 version 7, rising within this process also inside one millisecond. */
  @Bean
  IdSource ids() {
    TimeBasedEpochGenerator generator = Generators.timeBasedEpochGenerator();
    return generator::generate;
  }
}

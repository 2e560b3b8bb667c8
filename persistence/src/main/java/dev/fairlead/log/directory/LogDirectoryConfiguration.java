package dev.fairlead.log.directory;

import dev.fairlead.lease.LeaseStore;
import dev.fairlead.log.ChunkStore;
import dev.fairlead.log.LogStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The place of logs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LogDirectorySettings.class)
class LogDirectoryConfiguration {
  private static final Duration DEADLINE = Duration.ofSeconds(15);

  @Bean
  ChunkStore chunkStore(LogDirectorySettings settings, LeaseStore leases, LogStore index) {
    if (settings.directory().isBlank()) {
      return new NoChunkStore();
    }
    Path root = Path.of(settings.directory()).toAbsolutePath();
    DirectoryOwner owner = new DirectoryOwner(root, leases, index);
    return new BoundedChunkStore(
        new DirectoryChunkStore(root, owner, InstantSource.system()), DEADLINE);
  }
}

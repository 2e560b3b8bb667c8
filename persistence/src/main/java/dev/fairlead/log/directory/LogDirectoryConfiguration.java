package dev.fairlead.log.directory;

import dev.fairlead.log.ChunkStore;
import java.nio.file.Path;
import java.time.InstantSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The place of logs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LogDirectorySettings.class)
class LogDirectoryConfiguration {
  @Bean
  ChunkStore chunkStore(LogDirectorySettings settings) {
    String directory = settings.directory();
    return directory.isBlank()
        ? new NoChunkStore()
        : new DirectoryChunkStore(Path.of(directory).toAbsolutePath(), InstantSource.system());
  }
}

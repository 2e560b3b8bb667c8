package dev.fairlead.work.log.chunk;

import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.LogStore;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the location of logs. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(LogPlaceSettings.class)
class LogPlaceConfiguration {
  static final Duration DEADLINE = Duration.ofSeconds(15);

  /** The claim and its follow-up calls end before the deadline, so that the reason is reported. */
  static final Duration CALL = Duration.ofSeconds(7);

  @Bean
  ChunkStore chunkStore(LogPlaceSettings settings, LeaseStore leases, LogStore index) {
    boolean inBucket = !settings.s3().bucket().isBlank();
    boolean inDirectory = !settings.directory().isBlank();
    if (inBucket && inDirectory) {
      throw new InvalidConfigurationPropertyValueException(
          "fairlead.logs.directory",
          settings.directory(),
          "Logs have a single store: remove this setting or fairlead.logs.s3.bucket.");
    }
    if (!inBucket && !inDirectory) {
      return new NoChunkStore();
    }
    return new BoundedChunkStore(
        inBucket
            ? bucket(settings.s3(), leases, index)
            : directory(settings.directory(), leases, index),
        DEADLINE);
  }

  private static ChunkStore bucket(
      LogPlaceSettings.S3 settings, LeaseStore leases, LogStore index) {
    S3Bucket bucket =
        new S3Bucket(S3Clients.of(settings, CALL), settings.bucket(), settings.folder());
    return new S3ChunkStore(bucket, new PlaceOwner(bucket, leases, index));
  }

  private static ChunkStore directory(String directory, LeaseStore leases, LogStore index) {
    Path root = Path.of(directory).toAbsolutePath();
    PlaceOwner owner = new PlaceOwner(new DirectoryPlace(root), leases, index);
    return new DirectoryChunkStore(root, owner);
  }
}

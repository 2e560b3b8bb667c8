package dev.fairlead.log.directory;

import dev.fairlead.log.ChunkStore;
import dev.fairlead.log.ChunkStoreContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.io.TempDir;

class DirectoryChunkStoreTest extends ChunkStoreContract {
  @TempDir Path directory;

  @Override
  protected ChunkStore store() {
    try {
      Path root = Files.createTempDirectory(directory, "logs");
      return new DirectoryChunkStore(root, () -> Instant.now().plus(Duration.ofHours(2)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}

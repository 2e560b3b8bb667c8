package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.kernel.encryption.DerivedKey;
import dev.fairlead.kernel.keyring.SharedKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The key in {@code FAIRLEAD_KEY_FILE}. If the file does not exist at the start, it is created with
 * a random key and is readable only by its owner. If replicas start together, the first creates it
 * for all. If the file is lost, secrets and cluster connections must be set again.
 */
@Component
class KeyFile implements SharedKey {
  private static final int FILE_BYTES = 32;

  private final byte @Nullable [] content;

  /** Creates the file if it does not exist. */
  KeyFile(KeySettings settings) {
    String path = settings.keyFile();
    content = path.isBlank() ? null : made(Path.of(path));
  }

  @Override
  public Optional<byte[]> derived(String purpose) {
    return Optional.ofNullable(content).map(key -> DerivedKey.of(key, purpose));
  }

  private static byte[] made(Path path) {
    try {
      create(path);
      return DerivedKey.checked(Files.readAllBytes(path), path.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the key file " + path + " can be neither read nor created. Check FAIRLEAD_KEY_FILE.", e);
    }
  }

  /** If another replica was faster, its file is used. */
  private static void create(Path file) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    byte[] fresh = new byte[FILE_BYTES];
    new SecureRandom().nextBytes(fresh);
    Path whole = Files.createTempFile(file.toAbsolutePath().getParent(), "key", ".new");
    Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rw-------"));
    Files.write(whole, Base64.getEncoder().encode(fresh));
    try {
      Files.createLink(file, whole);
    } catch (FileAlreadyExistsException e) {
      return;
    } finally {
      Files.delete(whole);
    }
  }
}

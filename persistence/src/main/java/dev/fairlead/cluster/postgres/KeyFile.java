package dev.fairlead.cluster.postgres;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.secret.SharedKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The key in {@code FAIRLEAD_KEY_FILE} ({@code fairlead.key-file}), and seals by AES-256-GCM under
 * one derived from it. A path without a file gets a new random one at the start that only its owner
 * reads; of replicas that start together the first makes it for all. After its loss the clusters
 * have to be registered again.
 */
@Component
class KeyFile implements SharedKey {
  private static final String PURPOSE = "fairlead/cluster-connection";
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final int FILE_BYTES = 32;

  private static final String MAC = "HmacSHA256";

  private final SecureRandom random = new SecureRandom();
  private final @Nullable SecretKeySpec content;

  /** Makes the file when there is none. */
  KeyFile(KeySettings settings) {
    String path = settings.keyFile();
    content = path.isBlank() ? null : new SecretKeySpec(content(Path.of(path)), MAC);
  }

  @Override
  public Optional<byte[]> derived(String purpose) {
    if (content == null) {
      return Optional.empty();
    }
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(content);
      return Optional.of(mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Nonce, then cipher text; opens only with the same context. */
  byte[] seal(byte[] plain, String context) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed = run(Cipher.ENCRYPT_MODE, nonce, plain, context);
    return ByteBuffer.allocate(nonce.length + sealed.length).put(nonce).put(sealed).array();
  }

  byte[] open(byte[] sealed, String context) {
    ByteBuffer input = ByteBuffer.wrap(sealed);
    byte[] nonce = new byte[NONCE_BYTES];
    input.get(nonce);
    byte[] text = new byte[input.remaining()];
    input.get(text);
    return run(Cipher.DECRYPT_MODE, nonce, text, context);
  }

  private byte[] run(int mode, byte[] nonce, byte[] input, String context) {
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(mode, key(), new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(context.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "the connection of " + context + " does not open with this key file; was it replaced?",
          e);
    }
  }

  private SecretKeySpec key() {
    return derived(PURPOSE)
        .map(key -> new SecretKeySpec(key, "AES"))
        .orElseThrow(() ->
            new Refusal(
                ProblemCode.UNAVAILABLE,
                "Credentials of a cluster are stored sealed, and there is no key: set"
                    + " FAIRLEAD_KEY_FILE to a file that all replicas share (it is made when it"
                    + " is not there)."));
  }

  private byte[] content(Path path) {
    try {
      create(path);
      byte[] bytes = Files.readAllBytes(path);
      if (bytes.length < FILE_BYTES) {
        throw new IllegalStateException(path + " holds less than " + FILE_BYTES + " bytes: no key");
      }
      return bytes;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the key file " + path + " can be neither read nor made; see FAIRLEAD_KEY_FILE", e);
    }
  }

  /** Another replica may be faster; its file then counts. */
  private void create(Path file) throws IOException {
    if (Files.exists(file)) {
      return;
    }
    byte[] fresh = new byte[FILE_BYTES];
    random.nextBytes(fresh);
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

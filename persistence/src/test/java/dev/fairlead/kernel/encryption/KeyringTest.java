package dev.fairlead.kernel.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.Refusal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyringTest {
  private static final byte[] PLAIN = "canary".getBytes(StandardCharsets.UTF_8);
  private static final String OLD = inline('a');
  private static final String NEW = inline('b');

  private static String inline(char letter) {
    byte[] key = String.valueOf(letter).repeat(32).getBytes(StandardCharsets.UTF_8);
    return "base64:" + Base64.getEncoder().encodeToString(key);
  }

  private static Keyring of(String... keys) {
    return new Keyring(new EncryptionSettings(List.of(keys)), purpose -> Optional.empty());
  }

  /**
   * Fails when a replica that has not been restarted yet cannot read values written by the next
   * one.
   */
  @Test
  void keyIsRotatedInTwoStepsWithoutLockingOutAReplica() {
    Keyring before = of(OLD);
    Keyring added = of(OLD, NEW);
    Keyring switched = of(NEW, OLD);
    Envelope first = before.seal(PLAIN, "x");
    Envelope second = added.seal(PLAIN, "x");
    Envelope third = switched.seal(PLAIN, "x");

    assertThat(before.open(second, "x")).isEqualTo(PLAIN);
    assertThat(added.open(third, "x")).isEqualTo(PLAIN);
    assertThat(switched.open(first, "x")).isEqualTo(PLAIN);

    Envelope moved = switched.rewrapped(first, "x");
    assertThat(moved.content()).isEqualTo(first.content());
    assertThat(of(NEW).open(moved, "x")).isEqualTo(PLAIN);
    assertThat(switched.others()).containsExactly(first.keyId());
  }

  @Test
  void ciphertextOfAnotherPurposeDoesNotDecrypt() {
    Keyring keys = of(OLD);
    Envelope sealed = keys.seal(PLAIN, "x");

    assertThatThrownBy(() -> keys.open(sealed, "y")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> of(NEW).open(sealed, "x")).hasMessageContaining(sealed.keyId());
    assertThat(Envelope.parse(sealed.text())).isEqualTo(sealed);
    assertThatThrownBy(() -> Envelope.parse("Y2E=")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keyIsReadFromAFileOrATextOfEnoughBytes(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("key"), "b".repeat(32));

    assertThat(of(file.toString()).ids()).isEqualTo(of(NEW).ids());
    assertThatThrownBy(() -> of("base64:YQ==")).hasMessageContaining("less than 32 bytes");
    assertThatThrownBy(() -> of(directory.resolve("none").toString()))
        .hasMessageContaining("FAIRLEAD_ENCRYPTION_KEYS");
    assertThatThrownBy(() -> of().seal(PLAIN, "x")).isInstanceOf(Refusal.class);
  }
}

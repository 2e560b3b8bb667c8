package dev.fairlead.kernel.encryption;

import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/**
 * Encrypts with a new data key each time, and encrypts the data key with the first of the keys of
 * {@code fairlead.encryption-keys}. All of these keys, and the key derived from the key file,
 * decrypt. A key is therefore replaced in two rolling restarts: the new key is appended first, and
 * then moved to the front.
 */
@Component
public class Keyring {
  private static final String PURPOSE = "fairlead/key-encryption";
  private static final String ID = "fairlead/key-id";
  private static final int ID_DIGITS = 12;
  private static final String INLINE = "base64:";

  /** Represents the key derived from the key file, so that the key can remain first for a while. */
  private static final String KEY_FILE = "key-file";

  private final SequencedMap<String, byte[]> keys = new LinkedHashMap<>();

  /**
   * @throws IllegalStateException for an invalid key
   */
  Keyring(EncryptionSettings settings, SharedKey file) {
    settings.encryptionKeys().stream()
        .map(String::strip)
        .filter(given -> !given.isEmpty())
        .map(given -> given.equals(KEY_FILE) ? ofFile(file) : DerivedKey.of(read(given), PURPOSE))
        .forEach(this::add);
    file.derived(PURPOSE).ifPresent(this::add);
  }

  private static byte[] ofFile(SharedKey file) {
    return file.derived(PURPOSE)
        .orElseThrow(() ->
            new IllegalStateException(
                "FAIRLEAD_ENCRYPTION_KEYS names key-file, but FAIRLEAD_KEY_FILE is not set"));
  }

  private void add(byte[] key) {
    keys.putIfAbsent(id(key), key);
  }

  /** Derived from the key, so that two keys cannot have the same id by mistake. */
  private static String id(byte[] key) {
    return HexFormat.of().formatHex(DerivedKey.of(key, ID)).substring(0, ID_DIGITS);
  }

  private static byte[] read(String given) {
    if (given.startsWith(INLINE)) {
      try {
        byte[] key = Base64.getDecoder().decode(given.substring(INLINE.length()));
        return DerivedKey.checked(key, "a key of FAIRLEAD_ENCRYPTION_KEYS");
      } catch (IllegalArgumentException e) {
        throw new IllegalStateException(
            "a key of FAIRLEAD_ENCRYPTION_KEYS is not base64 after " + INLINE, e);
      }
    }
    try {
      return DerivedKey.checked(Files.readAllBytes(Path.of(given)), given);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the key file " + given + " cannot be read. Check FAIRLEAD_ENCRYPTION_KEYS.", e);
    }
  }

  public SortedSet<String> ids() {
    return new TreeSet<>(keys.keySet());
  }

  /** Ids of the keys that only decrypt. */
  public SortedSet<String> others() {
    SortedSet<String> others = ids();
    if (!keys.isEmpty()) {
      others.remove(keys.firstEntry().getKey());
    }
    return others;
  }

  /**
   * @param context owner of the value. Decryption requires the same context
   * @throws Refusal UNAVAILABLE without a key
   */
  public Envelope seal(byte[] plain, String context) {
    return seal(plain, context, context);
  }

  /**
   * @param context owner of the data key
   * @param content owner of the content, if it is more specific
   * @throws Refusal UNAVAILABLE without a key
   */
  public Envelope seal(byte[] plain, String context, String content) {
    byte[] dataKey = Aes.random(Aes.KEY_BYTES);
    return wrapped(dataKey, text(Aes.encrypt(dataKey, plain, content)), context);
  }

  /**
   * @throws IllegalStateException if its key is missing, or it has another owner
   */
  public byte[] open(Envelope sealed, String context) {
    return open(sealed, context, context);
  }

  /**
   * @throws IllegalStateException if its key is missing, or it has another owner
   */
  public byte[] open(Envelope sealed, String context, String content) {
    return Aes.decrypt(dataKey(sealed, context), bytes(sealed.content()), content);
  }

  /** Returns the same content, with its data key encrypted by the current key. */
  public Envelope rewrapped(Envelope sealed, String context) {
    return wrapped(dataKey(sealed, context), sealed.content(), context);
  }

  private Envelope wrapped(byte[] dataKey, String content, String context) {
    if (keys.isEmpty()) {
      throw new Refusal(
          ProblemCode.UNAVAILABLE,
          "Credentials and secrets are stored encrypted, and there is no key: set"
              + " FAIRLEAD_KEY_FILE to a file that all replicas share (it is created if it is"
              + " missing).");
    }
    var first = keys.firstEntry();
    return new Envelope(
        first.getKey(), text(Aes.encrypt(first.getValue(), dataKey, context)), content);
  }

  private byte[] dataKey(Envelope sealed, String context) {
    byte[] key = keys.get(sealed.keyId());
    if (key == null) {
      throw new IllegalStateException(
          "%s is encrypted under key %s, but this process has %s. Add that key to FAIRLEAD_ENCRYPTION_KEYS."
              .formatted(context, sealed.keyId(), ids()));
    }
    return Aes.decrypt(key, bytes(sealed.dataKey()), context);
  }

  private static String text(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static byte[] bytes(String text) {
    return Base64.getDecoder().decode(text);
  }
}

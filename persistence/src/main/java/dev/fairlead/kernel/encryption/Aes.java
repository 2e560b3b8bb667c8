package dev.fairlead.kernel.encryption;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** AES-256-GCM with a random nonce as a prefix. Decryption requires the same context. */
final class Aes {
  static final int KEY_BYTES = 32;
  private static final String CIPHER = "AES/GCM/NoPadding";
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Aes() {}

  static byte[] random(int bytes) {
    byte[] fresh = new byte[bytes];
    RANDOM.nextBytes(fresh);
    return fresh;
  }

  static byte[] encrypt(byte[] key, byte[] plain, String context) {
    byte[] nonce = random(NONCE_BYTES);
    byte[] text = run(Cipher.ENCRYPT_MODE, key, nonce, plain, context);
    return ByteBuffer.allocate(nonce.length + text.length).put(nonce).put(text).array();
  }

  static byte[] decrypt(byte[] key, byte[] encrypted, String context) {
    ByteBuffer input = ByteBuffer.wrap(encrypted);
    byte[] nonce = new byte[NONCE_BYTES];
    input.get(nonce);
    byte[] text = new byte[input.remaining()];
    input.get(text);
    return run(Cipher.DECRYPT_MODE, key, nonce, text, context);
  }

  private static byte[] run(int mode, byte[] key, byte[] nonce, byte[] input, String context) {
    try {
      Cipher cipher = Cipher.getInstance(CIPHER);
      cipher.init(mode, new SecretKeySpec(key, "AES"), new GCMParameterSpec(TAG_BITS, nonce));
      cipher.updateAAD(context.getBytes(StandardCharsets.UTF_8));
      return cipher.doFinal(input);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "cannot decrypt " + context + " with its key, which may have been replaced", e);
    }
  }
}

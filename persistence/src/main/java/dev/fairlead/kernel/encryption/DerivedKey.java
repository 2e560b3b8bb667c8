package dev.fairlead.kernel.encryption;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Keys that are derived from another key, each for one purpose. */
public final class DerivedKey {
  private static final String MAC = "HmacSHA256";

  private DerivedKey() {}

  public static byte[] of(byte[] key, String purpose) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * @param where source of the key, for the message
   * @throws IllegalStateException if it has less than 32 bytes
   */
  public static byte[] checked(byte[] key, String where) {
    if (key.length < Aes.KEY_BYTES) {
      throw new IllegalStateException(
          where + " holds less than " + Aes.KEY_BYTES + " bytes: no key");
    }
    return key;
  }
}

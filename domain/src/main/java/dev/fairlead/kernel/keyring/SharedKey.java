package dev.fairlead.kernel.keyring;

import java.util.Optional;

/** A key that every replica has, when there is one. */
public interface SharedKey {
  /**
   * 32 bytes that follow from the key and the purpose; empty when no key is configured.
   *
   * @param purpose says what the bytes are for; another purpose gives others
   */
  Optional<byte[]> derived(String purpose);
}

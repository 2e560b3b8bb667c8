package dev.fairlead.kernel.keyring;

import java.util.Optional;

/** A key that every replica has, when there is one. */
public interface SharedKey {
  /**
   * 32 bytes that follow from the key and the purpose, empty when no key is configured.
   *
   * @param purpose purpose of the bytes. Each purpose gives different bytes
   */
  Optional<byte[]> derived(String purpose);
}

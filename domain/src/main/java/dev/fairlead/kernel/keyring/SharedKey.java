package dev.fairlead.kernel.keyring;

import java.util.Optional;

/** Key shared by all replicas, if configured. */
public interface SharedKey {
  /**
   * 32 bytes that follow from the key and the purpose, empty when no key is configured.
   *
   * @param purpose purpose of the bytes. Each purpose gives different bytes
   */
  Optional<byte[]> derived(String purpose);
}

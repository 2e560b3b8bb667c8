package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.people.audit.chain.ChainKey;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** The key of the chain, from the key file that all replicas share. */
@Component
public class ChainKeys {
  private final SharedKey shared;

  public ChainKeys(SharedKey shared) {
    this.shared = shared;
  }

  /** A key for the calling thread, empty without a key file. */
  Optional<ChainKey> key() {
    return shared.derived(ChainKey.PURPOSE).map(ChainKey::new);
  }
}

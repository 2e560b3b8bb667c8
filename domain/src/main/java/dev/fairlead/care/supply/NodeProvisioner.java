package dev.fairlead.care.supply;

import java.util.Optional;

/** A source of nodes. */
public interface NodeProvisioner {
  /** Returns why the provisioner is never called, such as an address that is not allowed. */
  Optional<String> refuses(Supply.Webhook webhook);

  /**
   * Calls the provisioner once, for at most a few seconds. Must not be called inside a transaction.
   */
  SupplyAnswer ask(SupplyCall call);
}

package dev.fairlead.care.supply;

import java.util.Optional;

/** Where nodes come from. */
public interface NodeSupplier {
  /** Why the supplier there is never asked, such as an address that is not allowed. */
  Optional<String> refuses(Supply.Webhook webhook);

  /** Asks once, for some seconds at most. Not inside a transaction. */
  SupplyAnswer ask(SupplyCall call);
}

package dev.fairlead.care.supply;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Names a request for nodes; its text is the key under which the supplier is asked. */
public record SupplyRequestId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.SUPPLY_REQUEST;
  }

  /** Name of what a cluster has of it; the same whenever it is asked. */
  public String objectName() {
    return text().replace('_', '-');
  }
}

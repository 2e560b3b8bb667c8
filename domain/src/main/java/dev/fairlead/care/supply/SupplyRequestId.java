package dev.fairlead.care.supply;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Id of a request for nodes. Its text is the key of every call to the provisioner. */
public record SupplyRequestId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.SUPPLY_REQUEST;
  }

  /** Returns the name of its object on a cluster, which is the same for every call. */
  public String objectName() {
    return text().replace('_', '-');
  }
}

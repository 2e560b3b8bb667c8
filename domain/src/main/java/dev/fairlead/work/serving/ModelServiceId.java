package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** Identifies a model service. A service that is deleted and applied again has another id. */
public record ModelServiceId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.MODEL_SERVICE;
  }
}

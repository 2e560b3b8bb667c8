package dev.fairlead.data.volume;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** A volume, whatever it is called. */
public record VolumeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.VOLUME;
  }
}

package dev.fairlead.data.volume;

import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.identity.IdKind;
import java.util.UUID;

/** A volume, identified independently of its name. */
public record VolumeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.VOLUME;
  }
}

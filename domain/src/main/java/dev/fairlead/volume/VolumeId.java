package dev.fairlead.volume;

import dev.fairlead.identity.Id;
import dev.fairlead.identity.IdKind;
import java.util.UUID;

/** A volume, whatever it is called. */
public record VolumeId(UUID value) implements Id {
  @Override
  public IdKind kind() {
    return IdKind.VOLUME;
  }
}

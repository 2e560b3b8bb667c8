package dev.fairlead.architecture.planted.calls;

import java.util.UUID;

class DrawsAUuid {
  UUID id = UUID.randomUUID();
}

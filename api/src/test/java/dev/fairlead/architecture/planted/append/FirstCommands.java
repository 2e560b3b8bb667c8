package dev.fairlead.architecture.planted.append;

import java.util.List;

class FirstCommands {
  void write(ThingStore store) {
    store.append(List.of());
  }
}

package dev.fairlead.architecture.planted.append;

import java.util.List;
import java.util.function.Consumer;

class SecondCommands {
  Consumer<List<String>> write(ThingStore store) {
    return store::append;
  }
}

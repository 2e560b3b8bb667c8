package dev.fairlead.architecture.planted.append;

import java.util.List;

interface ThingStore {
  void append(List<String> transitions);
}

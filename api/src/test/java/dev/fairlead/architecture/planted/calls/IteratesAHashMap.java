package dev.fairlead.architecture.planted.calls;

import java.util.HashMap;
import java.util.Map;

class IteratesAHashMap {
  Map<String, String> byName = new HashMap<>();
}

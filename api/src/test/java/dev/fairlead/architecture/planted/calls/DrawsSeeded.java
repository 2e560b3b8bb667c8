package dev.fairlead.architecture.planted.calls;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

class DrawsSeeded {
  Random dice = new Random(42);
  Map<String, String> ordered = new TreeMap<>();
}

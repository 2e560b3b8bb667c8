package dev.fairlead.architecture.planted.calls;

class ReadsMillis {
  long at = System.currentTimeMillis();
}

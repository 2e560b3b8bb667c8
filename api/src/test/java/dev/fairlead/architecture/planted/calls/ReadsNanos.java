package dev.fairlead.architecture.planted.calls;

class ReadsNanos {
  long at = System.nanoTime();
}

package dev.fairlead.architecture.planted.calls;

class StartsAThread {
  void go() {
    Thread.startVirtualThread(() -> {});
  }
}

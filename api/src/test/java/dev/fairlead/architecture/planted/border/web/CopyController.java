package dev.fairlead.architecture.planted.border.web;

import java.util.List;

class CopyController {
  /** A violation: an operation returns it. */
  record Shown(String title, long size, String owner, boolean open) {}

  /** Not returned. */
  record Filter(String title, long size, String owner, boolean open) {}

  List<Shown> all() {
    return filtered(new Filter("", 0, "", true));
  }

  private static List<Shown> filtered(Filter by) {
    return List.of(new Shown(by.title(), by.size(), by.owner(), by.open()));
  }
}

package dev.fairlead.placement.deserved;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Tasks of a job that were evicted together, and where they ran. */
final class Evicted {
  private final Work work;
  private final List<Part> parts;
  private final SortedMap<String, Machine> places = new TreeMap<>();
  private boolean restored;

  private Evicted(Work work, List<Part> parts) {
    this.work = work;
    this.parts = parts;
  }

  static Evicted of(Work work, List<Part> parts, Accounts accounts) {
    Evicted evicted = new Evicted(work, parts);
    for (Part part : parts) {
      Machine machine = work.at(part.name());
      if (machine != null) {
        evicted.places.put(part.name(), machine);
      }
    }
    evicted.again(accounts);
    return evicted;
  }

  /** Whether all of them run again. */
  boolean restored() {
    return restored;
  }

  /** Puts them back where they ran, as far as there is room and right. */
  void back(Accounts accounts) {
    boolean allowed = accounts.allows(work, Accounts.charged(parts));
    accounts.use(work, parts, 1);
    restored = allowed;
    for (Part part : parts) {
      Machine machine = places.get(part.name());
      if (machine != null && machine.seat(part)) {
        work.runs(part, machine);
      } else {
        restored = false;
      }
    }
  }

  void again(Accounts accounts) {
    for (Part part : parts) {
      Machine machine = work.at(part.name());
      if (machine != null) {
        machine.leave(part);
        work.waits(part);
      }
    }
    accounts.use(work, parts, -1);
    restored = false;
  }
}

package dev.fairlead.front.service;

import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** UIDs of waiting Jobs. Each take begins after the last UID of the previous one. */
final class FrontTurns {
  private final NavigableSet<String> waiting = new TreeSet<>();
  private String after = "";

  void add(String uid) {
    waiting.add(uid);
  }

  void addAll(Collection<String> uids) {
    waiting.addAll(uids);
  }

  void removeAll(Collection<String> uids) {
    uids.forEach(waiting::remove);
  }

  void clear() {
    waiting.clear();
  }

  /** Removes and returns ready UIDs, up to the given number. */
  List<String> take(int most, Predicate<String> ready) {
    List<String> taken =
        Stream.concat(waiting.tailSet(after, false).stream(), waiting.headSet(after, true).stream())
            .filter(ready)
            .limit(most)
            .toList();
    if (most > 0) {
      after = taken.size() == most ? taken.getLast() : "";
    }
    removeAll(taken);
    return taken;
  }
}

package dev.fairlead.work.event;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Something that happened, before it is stored.
 *
 * @param type past tense, {@code JobAdmitted}
 * @param data details by name. Values are strings, numbers, booleans and lists of strings
 */
public record Fact(String type, SortedMap<String, Object> data) {
  public Fact {
    data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
  }

  public static Fact of(String type) {
    return new Fact(type, Collections.emptySortedMap());
  }

  public Fact with(String name, Object value) {
    SortedMap<String, Object> more = new TreeMap<>(data);
    more.put(name, value);
    return new Fact(type, more);
  }
}

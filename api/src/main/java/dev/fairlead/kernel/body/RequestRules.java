package dev.fairlead.kernel.body;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** A request record, or an object in one, whose fields exclude or require each other. */
public interface RequestRules {
  /**
   * Returns the problems of fields that are valid individually, by the name of the field. Each
   * message continues the name of the field.
   *
   * @param given names of the fields in the request that are not null, refused values included. The
   *     component of a refused value is null
   */
  default SortedMap<String, String> conflicts(SortedSet<String> given) {
    return Collections.unmodifiableSortedMap(new TreeMap<>());
  }

  /**
   * Reports problems that have a code or a suggestion, or that concern the object as a whole. The
   * component of a refused value is null.
   */
  default void check(Fields given) {}
}

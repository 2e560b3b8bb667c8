package dev.fairlead.kernel.body;

import java.util.SortedMap;
import java.util.SortedSet;

/** A request record with fields that exclude or require each other. */
public interface RequestRules {
  /**
   * Returns the problems of fields that are valid individually, by the name of the field. Each
   * message continues the name of the field.
   *
   * @param given names of the fields in the request that are not null, refused values included. The
   *     component of a refused value is null
   */
  SortedMap<String, String> conflicts(SortedSet<String> given);
}

package dev.fairlead.secret;

import java.util.SortedMap;
import java.util.SortedSet;

/** Which keys encrypt what is stored, and the way from one key to the next. */
public interface KeyRotation {
  /** Ids of the keys that this process has; the data keys under others cannot be opened here. */
  SortedSet<String> known();

  /** Stored data keys by the id of the key that encrypts them. */
  SortedMap<String, Long> used();

  /**
   * Encrypts data keys with the key for writing that are under another one of ours. What they
   * encrypt stays as it is.
   *
   * @param most bounds the number of secrets, and that of clusters
   * @return how many it were
   */
  int rewrap(int most);
}

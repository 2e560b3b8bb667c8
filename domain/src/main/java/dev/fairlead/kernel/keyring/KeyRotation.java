package dev.fairlead.kernel.keyring;

import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keys that encrypt stored data, and the rotation from one key to the next. */
public interface KeyRotation {
  /**
   * Ids of the keys that this process has. This process cannot decrypt data keys under other keys.
   */
  SortedSet<String> known();

  /** Stored data keys by the id of the key that encrypts them. */
  SortedMap<String, Long> used();

  /**
   * A step of a pass over the data keys that are not yet encrypted under the current key.
   *
   * @param moved number of objects that already have the key for writing
   * @param locked ids of the secrets and clusters whose data key cannot be decrypted. They are
   *     unchanged
   * @param next where the pass continues, null at its end
   */
  record Step(int moved, List<String> locked, @Nullable UUID next) {
    public Step {
      locked = List.copyOf(locked);
    }
  }

  /**
   * Re-encrypts data keys under another key of this process with the key for writing. The data
   * encrypted by them does not change.
   *
   * @param after the {@code next} of the previous step, null for the first step
   * @param most limit of secrets, and of clusters. 1 or more
   */
  Step rewrap(@Nullable UUID after, int most);
}

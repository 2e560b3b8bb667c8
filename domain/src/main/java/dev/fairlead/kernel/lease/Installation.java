package dev.fairlead.kernel.lease;

import dev.fairlead.kernel.identity.IdText;
import java.util.UUID;

/**
 * One database of Fairlead. Its id is in every label on a cluster. Its incarnation is the high part
 * of every epoch and rises when an operator declares a restored copy to be the live one.
 */
public record Installation(UUID id, int incarnation) {
  /** The 26 characters used in labels. */
  public String label() {
    return IdText.encode(id);
  }
}

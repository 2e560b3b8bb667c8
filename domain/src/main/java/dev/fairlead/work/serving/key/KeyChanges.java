package dev.fairlead.work.serving.key;

import java.util.List;

/**
 * Keys of all services that changed since a state.
 *
 * @param version version of the state with these changes
 * @param all whether these are all valid keys, so that every other key is invalid. Otherwise the
 *     keys that were created or revoked since the requested state
 */
public record KeyChanges(long version, boolean all, List<ServiceKey> keys) {
  public KeyChanges {
    keys = List.copyOf(keys);
  }
}

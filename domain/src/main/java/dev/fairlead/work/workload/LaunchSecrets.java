package dev.fairlead.work.workload;

import dev.fairlead.kernel.keyring.Secret;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What an attempt is handed that others may not read.
 *
 * @param ofProject values by key, by the name of the secret: of all that the job names as it is
 *     now; an attempt that was launched keeps what it has
 * @param credential by which the attempt itself answers a request to save its work; null for one
 *     that is never asked, and where it cannot call
 */
public record LaunchSecrets(
    SortedMap<String, SortedMap<String, Secret>> ofProject, @Nullable Secret credential) {
  public static final LaunchSecrets NONE = new LaunchSecrets(Collections.emptySortedMap(), null);

  /** The same for an attempt that cannot call. */
  LaunchSecrets withoutCredential() {
    return new LaunchSecrets(ofProject, null);
  }
}

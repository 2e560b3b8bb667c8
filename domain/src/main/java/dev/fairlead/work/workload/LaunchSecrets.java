package dev.fairlead.work.workload;

import dev.fairlead.kernel.keyring.Secret;
import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Confidential data passed to an attempt.
 *
 * @param ofProject values by key, by the name of the secret: current values of all that the job
 *     names. A launched attempt retains its secrets
 * @param credential credential for the response of the attempt to a checkpoint request, null if it
 *     never gets a request or cannot respond
 * @param outputs values of outputs of dependencies, by the text of their reference, see {@link
 *     dev.fairlead.work.output.OutputReference}
 */
public record LaunchSecrets(
    SortedMap<String, SortedMap<String, Secret>> ofProject,
    @Nullable Secret credential,
    SortedMap<String, Secret> outputs) {
  public static final LaunchSecrets NONE =
      new LaunchSecrets(Collections.emptySortedMap(), null, Collections.emptySortedMap());

  /** Returns the secrets for an attempt that has no callback address. */
  LaunchSecrets withoutCredential() {
    return new LaunchSecrets(ofProject, null, outputs);
  }
}

package dev.fairlead.work.workload;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.output.OutputReference;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything an adapter needs to create the objects of an attempt. Two orders for one attempt
 * differ only in the epoch.
 *
 * @param epoch epoch of the supervisor that creates
 * @param identity cloud identity that the job names and its project has, null if none
 */
@RecordBuilder
public record LaunchOrder(
    Installation installation,
    long epoch,
    Tenant tenant,
    Project project,
    Job job,
    Attempt attempt,
    Capabilities capabilities,
    LaunchSecrets secrets,
    @Nullable CloudIdentity identity)
    implements LaunchOrderBuilder.With {
  /** Key of the attempt's credential among {@link #secretData}. Others have a dot. */
  public static final String CREDENTIAL = "credential";

  /** Reason why the project does not have the cloud identity of the job, empty if it has. */
  public Optional<String> missingIdentity() {
    String named = job.spec().cloudIdentity();
    return named == null || identity != null
        ? Optional.empty()
        : Optional.of(
            ("project %s may no longer use cloud identity \"%s\". An owner of the tenant can"
                    + " allow it")
                .formatted(project.name(), named));
  }

  /** Reason why a secret that the job names is not among them, empty when all are. */
  public Optional<String> missingSecret() {
    for (var named : job.spec().secrets().entrySet()) {
      SortedMap<String, Secret> values = secrets.ofProject().get(named.getKey());
      if (values == null) {
        return Optional.of(
            "project %s no longer has a secret \"%s\". Set it and submit the job again"
                .formatted(project.name(), named.getKey()));
      }
      for (String key : named.getValue()) {
        if (!values.containsKey(key)) {
          return Optional.of(
              ("secret \"%s\" of project %s no longer has a key \"%s\". Set it and submit the job"
                      + " again")
                  .formatted(named.getKey(), project.name(), key));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Contents of the attempt's single Kubernetes Secret, by {@link #dataKey}: keys that the job
   * takes. Names of secrets have no dot, so no two values share a key. The project's login at
   * registries has its own key ({@link ProjectSecret#LOGIN_KEY}), which has no name.
   */
  public SortedMap<String, Secret> secretData() {
    SortedMap<String, Secret> data = new TreeMap<>();
    Secret credential = secrets.credential();
    if (credential != null) {
      data.put(CREDENTIAL, credential);
    }
    Secret login = login();
    if (login != null) {
      data.put(ProjectSecret.LOGIN_KEY, login);
    }
    secrets
        .ofProject()
        .forEach((name, values) ->
            values.forEach((key, value) -> {
              if (job.spec().takes(name, key)) {
                data.put(dataKey(name, key), value);
              }
            }));
    return data;
  }

  private @Nullable Secret login() {
    SortedMap<String, Secret> values = secrets.ofProject().get(ProjectSecret.REGISTRY_LOGIN);
    return values == null ? null : values.get(ProjectSecret.LOGIN_KEY);
  }

  /**
   * Returns the value of the output that the text references. A text without a reference is
   * returned without the escapes of {@link OutputReference}.
   *
   * @param text an environment value or a word of a command
   */
  public String resolved(String text) {
    Secret value = secrets.outputs().get(text);
    return value == null ? OutputReference.unescaped(text) : value.reveal();
  }

  /** Returns the order for a cluster whose pods have no callback address. */
  public LaunchOrder withoutCallback() {
    return withSecrets(secrets.withoutCredential());
  }

  /** {@code secret.key}. */
  public static String dataKey(String secret, String key) {
    return secret + "." + key;
  }
}

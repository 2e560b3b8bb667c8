package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Secrets that the jobs of one request name, each read once. Not thread-safe. */
final class NamedSecrets {
  private final ProjectSecretStore secrets;
  private final Project project;
  private final SortedMap<String, List<ProjectSecret>> read = new TreeMap<>();

  NamedSecrets(ProjectSecretStore secrets, Project project) {
    this.secrets = secrets;
    this.project = project;
  }

  /**
   * @throws Refusal INVALID_FIELD for a secret or key that the project does not have,
   *     LIMIT_EXCEEDED when they are too large together
   */
  void known(JobSpec spec) {
    Set<String> names = spec.secrets().keySet();
    if (names.isEmpty()) {
      return;
    }
    read(names);
    for (int i = 0; i < spec.roles().size(); i++) {
      String pointer = spec.roles().size() == 1 ? "/secretEnv/" : "/roles/" + i + "/secretEnv/";
      for (Map.Entry<String, RoleSpec.SecretKey> env : spec.roles().get(i).secretEnv().entrySet()) {
        key(pointer + env.getKey(), env.getValue());
      }
    }
    for (int i = 0; i < spec.volumes().size(); i++) {
      String secret = spec.volumes().get(i).secret();
      if (secret != null) {
        ProjectSecret _ = there("/volumes/" + i + "/secret", secret);
      }
    }
    fits(names, spec.array() != null);
  }

  private void read(Set<String> names) {
    Set<String> further = new TreeSet<>(names);
    further.removeAll(read.keySet());
    if (!further.isEmpty()) {
      further.forEach(name -> read.put(name, List.of()));
      secrets
          .named(project.tenant(), project.id(), further)
          .forEach(secret -> read.put(secret.name(), List.of(secret)));
    }
  }

  private ProjectSecret there(String pointer, String name) {
    return read.getOrDefault(name, List.of()).stream()
        .findFirst()
        .orElseThrow(() ->
            Refusal.field(
                pointer,
                ("Project %s has no secret \"%s\". Create it with: fairlead secret set %s -p %s"
                        + " KEY=-")
                    .formatted(project.name(), name, name, project.name())));
  }

  private void key(String pointer, RoleSpec.SecretKey asked) {
    ProjectSecret secret = there(pointer, asked.secret());
    if (!secret.keys().containsKey(asked.key())) {
      throw Refusal.field(
          pointer,
          "Secret \"%s\" of project %s has no key \"%s\". Keys: %s."
              .formatted(
                  asked.secret(),
                  project.name(),
                  asked.key(),
                  String.join(", ", secret.keys().keySet())));
    }
  }

  private void fits(Set<String> names, boolean array) {
    List<ProjectSecret> named =
        names.stream().flatMap(name -> read.getOrDefault(name, List.of()).stream()).toList();
    ProjectSecret.tooLarge(named, array)
        .ifPresent(why -> {
          throw new Refusal(ProblemCode.LIMIT_EXCEEDED, why);
        });
  }
}

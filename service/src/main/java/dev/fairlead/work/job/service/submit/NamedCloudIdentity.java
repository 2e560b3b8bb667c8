package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;

/** The cloud identity that a job names. */
final class NamedCloudIdentity {
  private NamedCloudIdentity() {}

  /**
   * @throws Refusal INVALID_FIELD for a cloud identity that the project may not use. The refusal
   *     does not tell whether other projects may use it
   */
  static void known(JobSpec spec, Project project, ConfigStore store) {
    String name = spec.cloudIdentity();
    if (name == null
        || CloudIdentity.named(store, project.tenant(), name)
            .filter(identity -> identity.allows(project))
            .isPresent()) {
      return;
    }
    List<String> allowed =
        store.all(CloudIdentity.DOCUMENTS, project.tenant()).stream()
            .map(ConfigDocument::value)
            .filter(identity -> identity.allows(project))
            .map(CloudIdentity::name)
            .sorted()
            .toList();
    throw Refusal.field(
        "/cloudIdentity",
        "Project %s may not use cloud identity \"%s\". %s An owner of the tenant can allow it: fairlead tenant cloud-identity apply %s FILE"
            .formatted(
                project.name(),
                name,
                allowed.isEmpty()
                    ? "It may use none."
                    : "It may use: " + String.join(", ", allowed) + ".",
                name),
        allowed.isEmpty() ? null : allowed.getFirst());
  }
}

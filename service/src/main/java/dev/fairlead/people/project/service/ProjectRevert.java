package dev.fairlead.people.project.service;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.tenant.Project;
import java.util.Objects;
import org.springframework.stereotype.Component;

/** Reverts changes of projects. */
@Component
public class ProjectRevert implements ConfigRevert {
  private final Projects projects;
  private final QuotaStore quotas;

  public ProjectRevert(Projects projects, QuotaStore quotas) {
    this.projects = projects;
    this.quotas = quotas;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.PROJECT;
  }

  @Override
  public void revert(RevertRequest request) {
    Project to = request.before(Project.class);
    Project from = request.after(Project.class);
    if (!projects.named(request.actor(), to.name()).id().equals(to.id())) {
      throw RevertRequest.gone();
    }
    QuotaNode queue =
        quotas
            .node(request.actor().tenant(), new QuotaNodeId(to.defaultQueue()))
            .orElseThrow(() ->
                request.refused(
                    "returns to a default queue that no longer exists: choose another with"
                        + " PATCH /projects/"
                        + to.name()));
    Project _ =
        projects.update(
            request.actor(),
            to.name(),
            new Projects.Change(
                queue.name(),
                to.egress(),
                new Projects.Change.Idle(to.idle()),
                Objects.requireNonNullElse(to.costCentre(), "")),
            request.expected(from.version()),
            false);
  }
}

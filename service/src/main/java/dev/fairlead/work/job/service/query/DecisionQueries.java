package dev.fairlead.work.job.service.query;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.job.store.DecisionRange;
import dev.fairlead.work.job.store.ExplanationStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Pages through the decisions about all jobs of a tenant or of a project. */
@Service
public class DecisionQueries {
  private final Transactions transactions;
  private final ExplanationStore decisions;
  private final TenantStore tenants;

  public DecisionQueries(
      Transactions transactions, ExplanationStore decisions, TenantStore tenants) {
    this.transactions = transactions;
    this.decisions = decisions;
    this.tenants = tenants;
  }

  /**
   * A decision with the name of its project.
   *
   * @param project name
   */
  public record ProjectRow(String project, DecisionRange.Row row) {}

  /**
   * A part of the range.
   *
   * @param rows matching rows, possibly none and fewer than were read
   * @param last position of the last row that was read, null at the end of the range
   */
  public record Part(List<ProjectRow> rows, DecisionRange.@Nullable Place last) {}

  /**
   * @param project name of one project, null for all that the actor may read
   * @throws Refusal FORBIDDEN, NOT_FOUND for an unknown project
   */
  public Part of(Actor actor, @Nullable String project, DecisionRange range) {
    Permissions.require(actor, "exportDecisions");
    return transactions.read(() -> {
      Map<ProjectId, String> names = projects(actor, project);
      List<DecisionRange.Row> seen = decisions.decided(actor.tenant(), range);
      List<ProjectRow> rows = new ArrayList<>();
      for (DecisionRange.Row row : seen) {
        String name = names.get(row.project());
        if (name != null) {
          rows.add(new ProjectRow(name, row));
        }
      }
      return new Part(rows, seen.size() < range.most() ? null : seen.getLast().place());
    });
  }

  private Map<ProjectId, String> projects(Actor actor, @Nullable String project) {
    List<ProjectId> own = actor.projects();
    List<Project> seen =
        own == null ? tenants.projects(actor.tenant()) : tenants.projects(actor.tenant(), own);
    Map<ProjectId, String> names =
        seen.stream()
            .filter(each -> project == null || each.name().equals(project))
            .collect(Collectors.toMap(Project::id, Project::name));
    if (project != null && names.isEmpty()) {
      throw new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + project + "\".");
    }
    return names;
  }
}

package dev.fairlead.work.raypool.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.service.spi.RayPools;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks the Ray pool that a job names. */
@Component
public class RayPoolRules implements RayPools {
  private final ConfigStore documents;

  public RayPoolRules(ConfigStore documents) {
    this.documents = documents;
  }

  @Override
  public void known(JobSpec spec, Project project) {
    String name = RayPoolJob.pool(spec);
    if (name == null) {
      return;
    }
    List<String> pools =
        documents.all(WarmPool.DOCUMENTS, project.tenant()).stream()
            .filter(document -> project.id().equals(document.project()))
            .map(ConfigDocument::value)
            .filter(pool -> pool.ray() != null && !pool.deleting())
            .map(WarmPool::name)
            .sorted()
            .toList();
    if (!pools.contains(name)) {
      String detail =
          "Project %s has no Ray pool \"%s\". %s"
              .formatted(
                  project.name(),
                  name,
                  pools.isEmpty()
                      ? "An owner of the project can add it: fairlead project ray-pool set " + name
                      : "Its Ray pools: " + String.join(", ", pools) + ".");
      String first = pools.isEmpty() ? null : pools.getFirst();
      throw new Refusal(
          ProblemCode.INVALID_FIELD,
          detail,
          List.of(new FieldProblem("/rayPool", ProblemCode.INVALID_FIELD, detail, first)));
    }
  }
}

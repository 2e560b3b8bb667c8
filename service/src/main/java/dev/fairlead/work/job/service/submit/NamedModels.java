package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import java.util.SortedSet;

/** GPU models that a job names. */
final class NamedModels {
  private NamedModels() {}

  /**
   * Checks the GPU model. A cluster with a model of the catalogue may be registered later. Any
   * other model must exist in the fleet.
   *
   * @throws Refusal INVALID_FIELD for an unknown GPU model
   */
  static void known(JobSpec spec, FeasibilityCheck.OfFleet fleet) {
    for (int i = 0; i < spec.roles().size(); i++) {
      String pointer = spec.roles().size() == 1 ? "/gpu" : "/roles/" + i + "/gpu";
      for (String model : spec.roles().get(i).gpu().models()) {
        known(pointer, model, fleet);
      }
    }
  }

  private static void known(String pointer, String asked, FeasibilityCheck.OfFleet seen) {
    if (!inCatalogue(asked) && !shown(asked, seen)) {
      SortedSet<String> fleet = seen.models();
      List<String> several = answering(asked, seen);
      if (!several.isEmpty()) {
        throw Refusal.field(
            pointer,
            "Several GPU models match \"%s\": %s. Name one of them."
                .formatted(asked, String.join(", ", several)),
            several.getFirst());
      }
      String near =
          fleet.stream().filter(model -> model.equalsIgnoreCase(asked)).findFirst().orElse(null);
      throw Refusal.field(
          pointer,
          "No cluster has a GPU model \"%s\". Models here: %s."
              .formatted(asked, String.join(", ", fleet)),
          near);
    }
  }

  /** Returns whether the fleet has the model, or is empty, so that any model may be added. */
  static boolean shown(String asked, FeasibilityCheck.OfFleet fleet) {
    return fleet.models().isEmpty() || answering(asked, fleet).size() == 1;
  }

  /** Models of the fleet that match a name outside the catalogue. */
  private static List<String> answering(String asked, FeasibilityCheck.OfFleet fleet) {
    SortedSet<String> models = fleet.models();
    return models.contains(asked)
        ? List.of(asked)
        : models.stream().filter(model -> GpuModel.answers(model, asked)).toList();
  }

  static boolean inCatalogue(String asked) {
    return GpuCatalogue.models().stream().anyMatch(model -> model.answersTo(asked));
  }
}

package dev.fairlead.work.job.service.submit;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.spec.JobSpec;
import java.util.SortedMap;
import java.util.TreeMap;

/** Licences that a job names. */
final class NamedLicences {
  private NamedLicences() {}

  /**
   * @throws Refusal INVALID_FIELD for a licence that does not exist, is of another cluster, or has
   *     fewer units
   */
  static void known(JobSpec spec, LicenceStore store) {
    if (spec.licences().isEmpty()) {
      return;
    }
    SortedMap<String, Licence> there = new TreeMap<>();
    store.licences().forEach(each -> there.put(each.name(), each));
    spec.licences()
        .forEach((name, asked) -> {
          Licence licence = there.get(name);
          if (licence == null) {
            throw Refusal.field(
                "/licences/" + name,
                "There is no licence \"%s\". %s"
                    .formatted(
                        name,
                        there.isEmpty()
                            ? "No licences exist. Remove the field."
                            : "Licences: " + String.join(", ", there.keySet()) + "."),
                there.isEmpty() ? null : there.firstKey());
          }
          if (!licence.allows(spec)) {
            throw Refusal.field(
                "/placement/clusters",
                "Licence %s belongs to cluster %s: set placement.clusters to [%s]."
                    .formatted(name, licence.cluster(), licence.cluster()),
                licence.cluster());
          }
          if (asked > licence.count()) {
            throw Refusal.field(
                "/licences/" + name,
                "Only %d of licence %s exist, not %d. A platform operator can raise the number."
                    .formatted(licence.count(), name, asked),
                Integer.toString(licence.count()));
          }
        });
  }
}

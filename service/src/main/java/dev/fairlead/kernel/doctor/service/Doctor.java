package dev.fairlead.kernel.doctor.service;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Runs all diagnoses independently: a failed diagnosis does not affect the others. */
@Service
public class Doctor {
  private static final Logger LOG = LoggerFactory.getLogger(Doctor.class);
  private static final Comparator<DoctorCheck> WORST_FIRST =
      Comparator.comparing(DoctorCheck::verdict)
          .reversed()
          .thenComparing(DoctorCheck::area)
          .thenComparing(DoctorCheck::subject);

  private final List<Diagnosis> diagnoses;

  public Doctor(List<Diagnosis> diagnoses) {
    this.diagnoses = List.copyOf(diagnoses);
  }

  /**
   * Results of all checks, worst first.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<DoctorCheck> examine(Actor actor) {
    Permissions.require(actor, "listChecks");
    List<DoctorCheck> found = new ArrayList<>();
    for (Diagnosis diagnosis : diagnoses) {
      try {
        found.addAll(diagnosis.look());
      } catch (RuntimeException | Error failed) {
        FatalErrors.rethrow(failed);
        LOG.warn("{} could not be checked", diagnosis.area(), failed);
        found.add(
            DoctorCheck.problem(
                diagnosis.area(),
                "-",
                "could not be checked: " + failed.getMessage(),
                "See the log of this process. If the database is down, repair it first."));
      }
    }
    return found.stream().sorted(WORST_FIRST).toList();
  }
}

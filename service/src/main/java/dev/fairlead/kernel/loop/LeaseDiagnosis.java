package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Checks that each required lease has a live holder. */
@Component
public class LeaseDiagnosis implements Diagnosis {
  private final LeaseStore store;
  private final NeedlessLeases needless;

  public LeaseDiagnosis(LeaseStore store, NeedlessLeases needless) {
    this.store = store;
    this.needless = needless;
  }

  @Override
  public String area() {
    return "leases";
  }

  @Override
  public List<DoctorCheck> look() {
    Set<String> none = needless.names();
    return store.names().stream()
        .filter(name -> !none.contains(name))
        .map(store::read)
        .flatMap(Optional::stream)
        .map(this::check)
        .toList();
  }

  private DoctorCheck check(LeaseRow row) {
    String next =
        "Start a process with the role for it (FAIRLEAD_ROLES). If one is running, see its"
            + " health group loops.";
    if (row.released()) {
      return DoctorCheck.problem(area(), row.name(), "was released and not acquired again", next);
    }
    if (row.orphaned()) {
      return DoctorCheck.problem(
          area(), row.name(), "its holder " + row.holder() + " has ended", next);
    }
    return DoctorCheck.ok(area(), row.name(), "held by " + row.holder());
  }
}

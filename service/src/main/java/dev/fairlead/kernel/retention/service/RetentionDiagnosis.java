package dev.fairlead.kernel.retention.service;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks that partitions exist for new rows and that old rows are removed. */
@Component
public class RetentionDiagnosis implements Diagnosis {
  private static final Duration ENOUGH = Duration.ofDays(2);
  private final RetentionStore rows;

  public RetentionDiagnosis(RetentionStore rows) {
    this.rows = rows;
  }

  @Override
  public String area() {
    return "retention";
  }

  @Override
  public List<DoctorCheck> look() {
    List<DoctorCheck> found = new ArrayList<>();
    found.add(room(rows.horizon()));
    rows.oldest().forEach((kind, age) -> found.add(old(kind, age.minus(Ages.DEFAULT.of(kind)))));
    return found;
  }

  private static DoctorCheck room(Duration ahead) {
    String found = "room for new events for " + ahead.toHours() + " h";
    return ahead.compareTo(ENOUGH) < 0
        ? DoctorCheck.problem(
            "partitions", "event", found, "Follow docs/how-to/runbooks/FairleadNoRoomForEvents.md.")
        : DoctorCheck.ok("partitions", "event", found);
  }

  private DoctorCheck old(RetentionStore.Kind kind, Duration over) {
    return over.compareTo(RetentionLag.ALLOWED) > 0
        ? DoctorCheck.warning(
            area(),
            kind.name(),
            "the oldest row is " + over.toHours() + " h over its age",
            "Follow docs/how-to/runbooks/FairleadRetentionLate.md.")
        : DoctorCheck.ok(area(), kind.name(), "old rows are removed in time");
  }
}

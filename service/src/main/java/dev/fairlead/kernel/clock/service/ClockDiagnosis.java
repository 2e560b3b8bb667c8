package dev.fairlead.kernel.clock.service;

import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.SteadyClock;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks whether the database clock is trusted, and whether a usage watermark is ahead of it. */
@Component
public class ClockDiagnosis implements Diagnosis {
  private static final String RUNBOOK = "docs/how-to/runbooks/FairleadClockRefused.md";
  private final ClockStore store;
  private final BelievedClock clock;

  public ClockDiagnosis(ClockStore store, BelievedClock clock) {
    this.store = store;
    this.clock = clock;
  }

  @Override
  public String area() {
    return "clocks";
  }

  @Override
  public List<DoctorCheck> look() {
    ClockStore.Reading read = store.read();
    return List.of(belief(read), watermarks(read));
  }

  private DoctorCheck belief(ClockStore.Reading read) {
    String time = Instant.ofEpochMilli(read.nowMillis()).toString();
    return clock.judged(read)
        ? DoctorCheck.ok(area(), "belief", "the database's clock is believed")
        : DoctorCheck.problem(
            area(),
            "belief",
            "the database says "
                + time
                + ", which agrees neither with this machine nor with the last usage sample, at "
                + Instant.ofEpochMilli(read.lookMillis())
                + ", confirms",
            "Repair the time service of the machine with the wrong clock. Before the repair, no"
                + " hour of usage is closed and no row is removed by age. See "
                + RUNBOOK);
  }

  private DoctorCheck watermarks(ClockStore.Reading read) {
    Duration ahead = Duration.ofMillis(read.watermarksAheadMillis());
    return ahead.compareTo(SteadyClock.TOLERANCE) <= 0
        ? DoctorCheck.ok(
            area(), "watermarks", "no watermark of the usage is ahead of the database's clock")
        : DoctorCheck.problem(
            area(),
            "watermarks",
            "a watermark of the usage is ahead of the database's clock by " + ahead,
            "If the clock is wrong, repair it. If the watermark is wrong, reset it as "
                + RUNBOOK
                + " describes: until the clock has passed it, new usage costs nothing.");
  }
}

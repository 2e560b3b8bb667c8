package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks that the loops of this process make progress. */
@Component
public class LoopDiagnosis implements Diagnosis {
  private final LoopThreads loops;
  private final Duration lateAfter;

  public LoopDiagnosis(LoopThreads loops, LoopTimes times) {
    this.loops = loops;
    this.lateAfter = times.lateAfter();
  }

  @Override
  public String area() {
    return "loops";
  }

  @Override
  public List<DoctorCheck> look() {
    return loops.statuses().stream().map(this::check).toList();
  }

  private DoctorCheck check(LoopStatus loop) {
    String last = "last success " + loop.sinceSuccess().toSeconds() + " s ago";
    if (!loop.alive()) {
      return DoctorCheck.problem(
          area(), loop.name(), "its thread has ended", "Restart this process and read its log.");
    }
    if (loop.sinceSuccess().compareTo(lateAfter) > 0) {
      return DoctorCheck.problem(
          area(),
          loop.name(),
          last,
          "Look for \"loop " + loop.name() + " failed\" in the log of this process.");
    }
    return DoctorCheck.ok(area(), loop.name(), last);
  }
}

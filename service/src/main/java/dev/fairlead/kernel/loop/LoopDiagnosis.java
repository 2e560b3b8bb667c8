package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.doctor.Check;
import dev.fairlead.kernel.doctor.Diagnosis;
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
  public List<Check> look() {
    return loops.statuses().stream().map(this::check).toList();
  }

  private Check check(LoopStatus loop) {
    String last = "last success " + loop.sinceSuccess().toSeconds() + " s ago";
    if (!loop.alive()) {
      return Check.problem(
          area(), loop.name(), "its thread has ended", "Restart this process and read its log.");
    }
    if (loop.sinceSuccess().compareTo(lateAfter) > 0) {
      return Check.problem(
          area(),
          loop.name(),
          last,
          "Look for \"loop " + loop.name() + " failed\" in the log of this process.");
    }
    return Check.ok(area(), loop.name(), last);
  }
}
